//! A small blocking client of the protocol, and a broker to talk to.

use bytes::{Bytes, BytesMut};
use flumen_broker::{Broker, BrokerConfig, BrokerHandle};
use flumen_wire::{
    BatchWriter, Batches, Compression,
    batch::{self, Marker},
};
use kafka_protocol::{
    messages::{produce_request::*, produce_response::PartitionProduceResponse, *},
    protocol::{Decodable, Encodable, HeaderVersion, Request, StrBytes},
};
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};
use tempfile::TempDir;

pub struct Bench {
    pub dir: TempDir,
    pub broker: Option<BrokerHandle>,
}

impl Bench {
    pub fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let broker = Some(Broker::start_in_thread(BrokerConfig::new(dir.path())).unwrap());
        Self { dir, broker }
    }

    pub fn restart(&mut self) {
        self.broker.take().unwrap().stop().unwrap();
        self.broker = Some(Broker::start_in_thread(BrokerConfig::new(self.dir.path())).unwrap());
    }

    pub fn address(&self) -> SocketAddr {
        self.broker.as_ref().unwrap().address()
    }

    pub fn client(&self) -> Client {
        Client::connect(self.address()).unwrap()
    }
}

pub struct Client {
    pub stream: TcpStream,
    next_id: i32,
}

pub fn text(value: &str) -> StrBytes {
    StrBytes::from_string(value.to_string())
}

pub fn topic(name: &str) -> TopicName {
    TopicName(text(name))
}

impl Client {
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, next_id: 1 })
    }

    pub fn send<Q: Request>(&mut self, version: i16, request: &Q) -> io::Result<i32> {
        let id = self.next_id;
        self.next_id += 1;
        let header = RequestHeader::default()
            .with_request_api_key(Q::KEY)
            .with_request_api_version(version)
            .with_correlation_id(id)
            .with_client_id(Some(text("test")));
        let mut body = BytesMut::new();
        header.encode(&mut body, Q::header_version(version)).unwrap();
        request.encode(&mut body, version).unwrap();
        self.send_frame(&body)?;
        Ok(id)
    }

    pub fn send_frame(&mut self, body: &[u8]) -> io::Result<()> {
        let mut frame = (body.len() as i32).to_be_bytes().to_vec();
        frame.extend_from_slice(body);
        self.stream.write_all(&frame)
    }

    pub fn receive_frame(&mut self) -> io::Result<Bytes> {
        let mut size = [0; 4];
        self.stream.read_exact(&mut size)?;
        let mut body = vec![0; i32::from_be_bytes(size) as usize];
        self.stream.read_exact(&mut body)?;
        Ok(body.into())
    }

    pub fn receive<Q: Request>(&mut self, version: i16) -> io::Result<(i32, Q::Response)> {
        let mut body = self.receive_frame()?;
        let header = ResponseHeader::decode(&mut body, Q::Response::header_version(version)).unwrap();
        let response = Q::Response::decode(&mut body, version).unwrap();
        assert!(body.is_empty(), "{} bytes left in the response", body.len());
        Ok((header.correlation_id, response))
    }

    pub fn try_call<Q: Request>(&mut self, version: i16, request: &Q) -> io::Result<Q::Response> {
        let sent = self.send(version, request)?;
        let (id, response) = self.receive::<Q>(version)?;
        assert_eq!(id, sent);
        Ok(response)
    }

    pub fn call<Q: Request>(&mut self, version: i16, request: &Q) -> Q::Response {
        self.try_call(version, request).unwrap()
    }

    pub fn create(&mut self, name: &str, partitions: i32, configs: &[(&str, &str)]) -> i16 {
        let configs = configs
            .iter()
            .map(|(k, v)| create_topics_request::CreatableTopicConfig::default().with_name(text(k)).with_value(Some(text(v))))
            .collect();
        let wanted = create_topics_request::CreatableTopic::default()
            .with_name(topic(name))
            .with_num_partitions(partitions)
            .with_replication_factor(1)
            .with_configs(configs);
        let response = self.call(7, &CreateTopicsRequest::default().with_topics(vec![wanted]).with_timeout_ms(1000));
        response.topics[0].error_code
    }

    pub fn try_produce(
        &mut self,
        name: &str,
        partition: i32,
        batch: Vec<u8>,
        transactional_id: Option<&str>,
    ) -> io::Result<PartitionProduceResponse> {
        let data = PartitionProduceData::default().with_index(partition).with_records(Some(batch.into()));
        let data = TopicProduceData::default().with_name(topic(name)).with_partition_data(vec![data]);
        let request = ProduceRequest::default()
            .with_acks(-1)
            .with_timeout_ms(1000)
            .with_transactional_id(transactional_id.map(|id| TransactionalId(text(id))))
            .with_topic_data(vec![data]);
        Ok(self.try_call(9, &request)?.responses[0].partition_responses[0].clone())
    }

    pub fn produce(&mut self, name: &str, partition: i32, batch: Vec<u8>) -> PartitionProduceResponse {
        self.try_produce(name, partition, batch, None).unwrap()
    }

    pub fn fetch(&mut self, name: &str, partition: i32, offset: i64, committed: bool, wait: i32) -> fetch_response::PartitionData {
        self.call(12, &fetch_request(name, partition, offset, committed, wait)).responses[0].partitions[0].clone()
    }

    /// Offsets and values from the beginning on; with `committed` without those of aborted transactions.
    pub fn read_all(&mut self, name: &str, partition: i32, committed: bool) -> Vec<(i64, String)> {
        let mut seen = Vec::new();
        let mut offset = 0;
        loop {
            let data = self.fetch(name, partition, offset, committed, 0);
            assert_eq!(data.error_code, 0);
            let records = data.records.unwrap();
            if records.is_empty() {
                return seen;
            }
            let mut aborted: Vec<(i64, i64)> =
                data.aborted_transactions.unwrap_or_default().iter().map(|a| (a.producer_id.0, a.first_offset)).collect();
            for b in Batches(&records) {
                let b = b.unwrap();
                b.check_crc().unwrap();
                let header = b.header;
                offset = header.next_offset();
                if header.attributes.is_control() {
                    if b.marker().unwrap() == Some(Marker::Abort) {
                        // The oldest aborted transaction of this producer ends here.
                        let at = aborted.iter().position(|(id, first)| *id == header.producer_id && *first <= header.base_offset);
                        if let Some(at) = at {
                            aborted.remove(at);
                        }
                    }
                    continue;
                }
                let hidden = header.attributes.is_transactional()
                    && aborted.iter().any(|(id, first)| *id == header.producer_id && *first <= header.base_offset);
                if hidden {
                    continue;
                }
                for record in b.records(&mut Vec::new(), 1 << 24).unwrap() {
                    let record = record.unwrap();
                    seen.push((record.offset, String::from_utf8(record.value.unwrap_or_default().to_vec()).unwrap()));
                }
            }
        }
    }
}

pub fn fetch_request(name: &str, partition: i32, offset: i64, committed: bool, wait: i32) -> FetchRequest {
    let partition =
        fetch_request::FetchPartition::default().with_partition(partition).with_fetch_offset(offset).with_partition_max_bytes(1 << 20);
    let wanted = fetch_request::FetchTopic::default().with_topic(topic(name)).with_partitions(vec![partition]);
    FetchRequest::default()
        .with_max_wait_ms(wait)
        .with_min_bytes(1)
        .with_max_bytes(1 << 20)
        .with_isolation_level(i8::from(committed))
        .with_topics(vec![wanted])
}

pub fn batch_by(values: &[&str], timestamp: i64, producer: batch::Producer) -> Vec<u8> {
    let mut writer = BatchWriter::default();
    for value in values {
        writer.push(timestamp, Some(b"key"), Some(value.as_bytes()), &[]).unwrap();
    }
    writer.finish(Compression::None, producer).unwrap()
}

pub fn batch(values: &[&str]) -> Vec<u8> {
    batch_by(values, 1000, batch::Producer::PLAIN)
}
