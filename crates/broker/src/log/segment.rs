//! One file of a partition's log, named by its first offset, with its sparse index beside it.

use super::{
    index::{Entry, SparseIndex},
    scan::HeaderScan,
};
use flumen_wire::BatchHeader;
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A segment. Only the last one of a log is appended to.
#[derive(Debug)]
pub struct Segment {
    base_offset: i64,
    path: PathBuf,
    file: Arc<File>,
    size: u64,
    index: SparseIndex,
    /// When its first batch came, or its file was made, in milliseconds since 1970.
    first_append: Option<i64>,
}

/// What is known of a segment without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its first offset.
    pub base_offset: i64,
    /// Bytes of it that were found sound.
    pub size: u64,
    /// Latest timestamp in these.
    pub max_timestamp: i64,
}

/// What a segment's file is called until it takes the place of others.
pub const BESIDE: &str = "cleaned";
const BESIDE_INDEX: &str = "cleaned-index";
/// Bytes at a segment's end that an index may lack: a crash loses the newest entries.
const UNINDEXED: u64 = 32 << 20;

/// The path of the segment that begins at `base_offset`.
pub fn segment_path(folder: &Path, base_offset: i64) -> PathBuf {
    folder.join(format!("{base_offset:020}.log"))
}

/// Puts the files of a rewritten segment in their place, if they are not there yet.
pub fn put_in_place(folder: &Path, base_offset: i64) -> io::Result<()> {
    let path = segment_path(folder, base_offset);
    let beside = path.with_extension(BESIDE);
    if beside.exists() {
        // The old index would be a wrong hint. Without the new one reading is slower, no more.
        let _ = std::fs::rename(path.with_extension(BESIDE_INDEX), path.with_extension("index"))
            .or_else(|_| std::fs::remove_file(path.with_extension("index")));
        std::fs::rename(beside, path)?;
    }
    Ok(())
}

/// Removes the files of a segment; readers that hold the file can go on.
pub fn remove_segment(folder: &Path, base_offset: i64) {
    let path = segment_path(folder, base_offset);
    remove_files([path.with_extension("index"), path]);
}

fn millis(time: std::time::SystemTime) -> Option<i64> {
    time.duration_since(std::time::UNIX_EPOCH).ok().and_then(|d| i64::try_from(d.as_millis()).ok())
}

fn remove_files(paths: [PathBuf; 2]) {
    for path in paths {
        if let Err(error) = std::fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %path.display(), %error, "cannot remove");
        }
    }
}

impl Segment {
    /// A new, empty segment.
    pub fn create(folder: &Path, base_offset: i64, index_interval: u64) -> io::Result<Self> {
        let path = segment_path(folder, base_offset);
        let index = path.with_extension("index");
        Self::create_at(path, index, base_offset, index_interval)
    }

    /// A new, empty segment that is to take the place of others.
    pub fn create_beside(folder: &Path, base_offset: i64, index_interval: u64) -> io::Result<Self> {
        let path = segment_path(folder, base_offset).with_extension(BESIDE);
        let index = path.with_extension(BESIDE_INDEX);
        Self::create_at(path, index, base_offset, index_interval)
    }

    fn create_at(path: PathBuf, index: PathBuf, base_offset: i64, index_interval: u64) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path)?;
        let index = SparseIndex::create(index, index_interval);
        Ok(Self { base_offset, path, file: Arc::new(file), size: 0, index, first_append: None })
    }

    /// Puts a segment made with [`Segment::create_beside`] in its place.
    pub fn put_in_place(&mut self, folder: &Path) -> io::Result<()> {
        put_in_place(folder, self.base_offset)?;
        self.path = segment_path(folder, self.base_offset);
        self.index.moved(self.path.with_extension("index"));
        Ok(())
    }

    /// Writes bytes of batches that were admitted.
    pub fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, position)
    }

    /// An existing segment of which `known` is known; the rest of the file is for recovery to look at.
    pub fn open(folder: &Path, known: Known, index_interval: u64) -> io::Result<Self> {
        let path = segment_path(folder, known.base_offset);
        let file = OpenOptions::new().read(true).write(true).open(&path)?;
        let index = SparseIndex::open(path.with_extension("index"), index_interval, known.size, known.max_timestamp);
        let first_append = file.metadata().and_then(|m| m.created()).ok().and_then(millis);
        let mut segment = Self { base_offset: known.base_offset, path, file: Arc::new(file), size: known.size, index, first_append };
        if segment.index.reach() + UNINDEXED < known.size {
            segment.rebuild_index(index_interval)?;
        }
        Ok(segment)
    }

    /// Makes the index anew by walking over the headers.
    fn rebuild_index(&mut self, interval: u64) -> io::Result<()> {
        tracing::info!(path = %self.path.display(), "making the index anew");
        self.index = SparseIndex::create(self.path.with_extension("index"), interval);
        let mut scan = HeaderScan::new(&self.file, 0, self.size);
        while let Some((position, header)) = scan.next_header()? {
            self.index.add(&header, position);
        }
        self.index.flush();
        Ok(())
    }

    /// First offset it may hold.
    pub fn base_offset(&self) -> i64 {
        self.base_offset
    }

    /// Bytes of whole batches.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Latest timestamp; `i64::MIN` if empty.
    pub fn max_timestamp(&self) -> i64 {
        self.index.max_timestamp()
    }

    /// The file, for reading beside appends.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Summary for the snapshot.
    pub fn known(&self) -> Known {
        Known { base_offset: self.base_offset, size: self.size, max_timestamp: self.max_timestamp() }
    }

    /// Milliseconds since its first batch came; 0 if it is empty, or was opened from a disk that knows no such times.
    pub fn age(&self, now: i64) -> i64 {
        self.first_append.map_or(0, |first| now.saturating_sub(first))
    }

    /// When its file was last written, in milliseconds since 1970.
    pub fn last_append(&self) -> io::Result<i64> {
        Ok(millis(self.file.metadata()?.modified()?).unwrap_or(0))
    }

    /// Appends one whole batch, and if so told forces it to the disk. A failed write leaves bytes that the next one overwrites and recovery cuts off.
    pub fn append(&mut self, bytes: &[u8], header: &BatchHeader, now: i64, flush: bool) -> io::Result<()> {
        self.file.write_all_at(bytes, self.size)?;
        if flush {
            self.file.sync_data()?;
        }
        self.first_append.get_or_insert(now);
        self.admit(header);
        Ok(())
    }

    /// Takes a batch that already lies at the end of the known part as sound.
    pub fn admit(&mut self, header: &BatchHeader) {
        self.index.add(header, self.size);
        self.size += header.size as u64;
    }

    /// Cuts off what lies beyond the known part.
    pub fn truncate(&self) -> io::Result<()> {
        if self.file.metadata()?.len() == self.size { Ok(()) } else { self.file.set_len(self.size) }
    }

    /// Writes the index entries still in memory: nothing more will be appended.
    pub fn seal(&mut self) {
        self.index.flush();
    }

    /// Removes its files; readers that hold the file can go on. Gives the file, whose room becomes free when nobody holds it any more: with a
    /// large one that takes its time, so better not under a lock.
    pub fn remove(self) -> Arc<File> {
        remove_files([self.index.path().to_path_buf(), self.path]);
        self.file
    }

    /// A walk of headers that begins before any batch with a timestamp of at least `timestamp`.
    pub fn scan_from_time(&self, timestamp: i64) -> HeaderScan<'_> {
        HeaderScan::new(&self.file, self.checked(self.index.floor_time(timestamp)), self.size)
    }

    /// Where to begin reading for `offset`: at a batch that begins at or before it.
    pub fn position_before(&self, offset: i64) -> u64 {
        self.checked(self.index.floor_offset(offset))
    }

    /// The entry's position if its batch is really there, else the beginning.
    fn checked(&self, entry: Option<Entry>) -> u64 {
        let Some(entry) = entry else { return 0 };
        match HeaderScan::new(&self.file, entry.position, self.size).next_header() {
            Ok(Some((_, header))) if header.base_offset == entry.offset => entry.position,
            _ => 0,
        }
    }
}
