//! A stream of JSON objects or text lines, cut into pieces as its bytes arrive.

/// Cuts out each JSON object, whatever stands between them: commas, line ends, the brackets of an array around all.
#[derive(Default)]
pub struct Objects {
    bytes: Vec<u8>,
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Objects {
    /// Takes bytes and gives the objects that are complete with them.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut complete = Vec::new();
        for byte in bytes {
            if self.depth == 0 && *byte != b'{' {
                continue;
            }
            self.bytes.push(*byte);
            if self.in_text {
                self.in_text = self.escaped || *byte != b'"';
                self.escaped = !self.escaped && *byte == b'\\';
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' => self.depth += 1,
                b'}' => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 {
                let object = std::mem::take(&mut self.bytes);
                complete.push(String::from_utf8_lossy(&object).into_owned());
            }
        }
        complete
    }
}

/// Cuts at line ends.
#[derive(Default)]
pub struct Lines {
    bytes: Vec<u8>,
}

impl Lines {
    /// Takes bytes and gives the lines that are complete with them, without their ends; empty ones are left out.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        self.bytes.extend_from_slice(bytes);
        let Some(end) = self.bytes.iter().rposition(|b| *b == b'\n') else { return Vec::new() };
        let rest = self.bytes.split_off(end + 1);
        let complete = std::mem::replace(&mut self.bytes, rest);
        String::from_utf8_lossy(&complete).lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_out_whole_however_the_bytes_are_cut() {
        let text = "[{\"a\":\"}\\\"{\"},\n\n{\"b\":{\"c\":[1]}}\n]";
        for size in 1..text.len() {
            let mut objects = Objects::default();
            let found: Vec<String> = text.as_bytes().chunks(size).flat_map(|part| objects.push(part)).collect();
            assert_eq!(found, ["{\"a\":\"}\\\"{\"}", "{\"b\":{\"c\":[1]}}"], "in parts of {size}");
        }
    }

    #[test]
    fn lines_come_out_whole_however_the_bytes_are_cut() {
        let text = "one\r\n\ntwö\nthr";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let found: Vec<String> = text.as_bytes().chunks(size).flat_map(|part| lines.push(part)).collect();
            assert_eq!(found, ["one", "twö"], "in parts of {size}");
        }
    }
}
