import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { isMissing } from './connection.ts'

const DUPLICATE_MS = 120_000
const REFUSED_MS = 30 * 86_400_000
const REFUSED_BYTES = 67_108_864
/** A stream gets this many copies when the cluster has enough servers. */
export const REPLICAS = 3

/**
 * The names of one store's streams and subjects on the bus. They keep any number of stores apart on one
 * server.
 */
export interface Names {
  /** Holds events that arrived and are not in the store yet. */
  readonly stream: string
  readonly incoming: string
  /** Holds events that the store rejected. */
  readonly refusedStream: string
  readonly refused: string
  /** Carries rows as they are stored, for every subscriber. */
  readonly rows: string
}

export const WRITER = 'writer'

/**
 * Holds incoming events until they are stored. When the stream is full it rejects new events and never drops
 * events that are not stored yet.
 */
const incoming = (names: Names, mostBytes: number) => ({
  name: names.stream,
  subjects: [names.incoming],
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_bytes: mostBytes,
  duplicate_window: nanos(DUPLICATE_MS),
})

/** Holds rejected events for inspection; the oldest are dropped first. */
const refusedStreamConfig = (names: Names) => ({
  name: names.refusedStream,
  subjects: [names.refused],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  max_bytes: REFUSED_BYTES,
  max_age: nanos(REFUSED_MS),
})

export async function makeStreams(jsm: JetStreamManager, names: Names, mostBytes: number): Promise<void> {
  await make(jsm, incoming(names, mostBytes))
  await make(jsm, refusedStreamConfig(names))
}

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'max_bytes'>

/**
 * Creates a missing stream. For an existing stream it sets the size limit and adds copies when there are now
 * enough servers; it never removes copies.
 */
async function make(jsm: JetStreamManager, wanted: Wanted): Promise<void> {
  const found = await findStream(jsm, wanted.name)
  if (found === undefined) await withReplicas((num_replicas) => jsm.streams.add({ ...wanted, num_replicas }))
  else if (isOther(found, wanted))
    await withReplicas((most) => {
      const has = found.config.num_replicas
      const num_replicas = isClustered(found) ? Math.max(most, has) : has
      return jsm.streams.update(wanted.name, { max_bytes: wanted.max_bytes, num_replicas })
    })
}

const isOther = (found: StreamInfo, { max_bytes }: Wanted): boolean =>
  found.config.max_bytes !== max_bytes || (isClustered(found) && found.config.num_replicas < REPLICAS)

/**
 * A single server would accept a stream that already has three copies, but would fail to find it after a
 * restart.
 */
const isClustered = ({ cluster }: StreamInfo): boolean => cluster !== undefined

async function findStream(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(name)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Uses three copies when the cluster has three servers. One or two servers keep a single copy. */
async function withReplicas(make: (replicas: number) => Promise<unknown>): Promise<void> {
  try {
    await make(REPLICAS)
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error
    await make(1)
  }
}

export const busNames = (space: string, id: string): Names => {
  const stream = `panoptes_${space}_${id}`
  const subject = `panoptes.${space}.${id}`
  return {
    stream,
    incoming: `${subject}.in`,
    refusedStream: `${stream}_refused`,
    refused: `${subject}.refused`,
    rows: `${subject}.rows`,
  }
}
