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
import { isMissing } from './failures.ts'
import type { Names } from './names.ts'

const DUPLICATE_MS = 120_000
const REFUSED_MS = 30 * 86_400_000
const REFUSED_BYTES = 67_108_864
/** As many servers keep a stream, where there are as many. */
export const REPLICAS = 3

/** What came in, kept until the ledger has it; nothing is taken that has no room, and nothing goes that has not been stored. */
const incoming = (names: Names, mostBytes: number) => ({
  name: names.stream,
  subjects: [names.incoming],
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_bytes: mostBytes,
  duplicate_window: nanos(DUPLICATE_MS),
})

/** What the ledger would not have, for somebody to look at; the oldest goes. */
const refused = (names: Names) => ({
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
  await make(jsm, refused(names))
}

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'max_bytes'>

/** Made where it is missing; of one that is there the bound is set, and the copies where there are servers for them now: never fewer. */
async function make(jsm: JetStreamManager, wanted: Wanted): Promise<void> {
  const found = await infoOf(jsm, wanted.name)
  if (found === undefined) await replicated((num_replicas) => jsm.streams.add({ ...wanted, num_replicas }))
  else if (isOther(found, wanted))
    await replicated((most) => {
      const has = found.config.num_replicas
      const num_replicas = isClustered(found) ? Math.max(most, has) : has
      return jsm.streams.update(wanted.name, { max_bytes: wanted.max_bytes, num_replicas })
    })
}

const isOther = (found: StreamInfo, { max_bytes }: Wanted): boolean =>
  found.config.max_bytes !== max_bytes || (isClustered(found) && found.config.num_replicas < REPLICAS)

/** A server alone would take a stream of three copies that is there already, and not find it again when it starts. */
const isClustered = ({ cluster }: StreamInfo): boolean => cluster !== undefined

async function infoOf(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(name)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Three copies where the cluster has three servers; a server alone, or two of them, keep one. */
async function replicated(make: (replicas: number) => Promise<unknown>): Promise<void> {
  try {
    await make(REPLICAS)
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error
    await make(1)
  }
}
