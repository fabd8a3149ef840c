//! Flumen's own properties.

use super::{INT, MAX};
use crate::property::{Kind, Property};

pub(super) const TABLE: &[Property] = &[
    Property::server(
        "flumen.data.dir",
        Kind::Text,
        Some("flumen-data"),
        "Folder of the local state, the instance's identity and the embedded broker's log.",
    ),
    Property::server(
        "flumen.lease.slots",
        Kind::Int(1, 4096),
        Some("64"),
        "Slots that tasks are spread over; fixed when the service is first started.",
    ),
    Property::server("flumen.worker.threads", Kind::Int(0, 1024), Some("0"), "Threads that run tasks; 0 takes one per processor."),
    Property::server("flumen.broker.listen", Kind::Text, Some("127.0.0.1:0"), "Address of the embedded broker; port 0 takes a free one."),
    Property::server(
        "flumen.broker.fsync",
        Kind::OneOf(&["os", "always"]),
        Some("os"),
        "When the embedded broker's records are on the disk: when the system writes them, or always before they are acknowledged.",
    ),
    Property::server(
        "flumen.overlay.bytes",
        Kind::Int(1 << 16, MAX),
        Some("67108864"),
        "Memory of one worker for state not yet in the stores; when full, it commits early.",
    ),
    Property::server("flumen.fetch.bytes", Kind::Int(1 << 16, MAX), Some("67108864"), "Memory of one worker for records fetched ahead."),
    Property::server(
        "flumen.state.block.cache.bytes",
        Kind::Int(0, MAX),
        Some("134217728"),
        "Memory of the state stores for blocks read from disk, for the whole process.",
    ),
    Property::server(
        "flumen.state.write.buffer.bytes",
        Kind::Int(1 << 20, MAX),
        Some("134217728"),
        "Memory of the state stores for writes not yet on disk, for the whole process.",
    ),
    Property::server("flumen.push.queue.rows", Kind::Int(1, INT), Some("500"), "Rows that may wait for a push query's client."),
    Property::server(
        "flumen.push.stall.timeout.ms",
        Kind::Int(1, MAX),
        Some("30000"),
        "How long the client of a push or pull query may leave rows unread before it is cut off, in ms.",
    ),
    Property::server("flumen.http.max.body.bytes", Kind::Int(1024, MAX), Some("33554432"), "Largest request body, in bytes."),
];
