import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { connectionOptions, formatBus, toFailure } from './connection.ts'
import { WRITER } from './streams.ts'

interface StreamLook {
  readonly name: string
  readonly space: string
  readonly waiting: number
  readonly waiting_bytes: number
  readonly most_bytes: number
  readonly lag_ms: number
  /** Counts the servers that hold a copy. `behind` counts those of them that are behind or gone. */
  readonly replicas: number
  readonly behind: number
  /** This is true when a process is writing the stream into the store. */
  readonly written: boolean
  /** The number of events that the store rejected. */
  readonly refused: number
}

export interface BusLook {
  readonly where: string
  readonly version: string
  readonly round_trip_ms: number
  readonly streams: readonly StreamLook[]
}

/** Inspects a bus without changing anything in it. */
export async function inspectBus(url: string): Promise<Result<BusLook>> {
  const where = formatBus(url)
  try {
    const connection = await connect({ ...connectionOptions(url), maxReconnectAttempts: 0 })
    try {
      const round_trip_ms = await connection.rtt()
      const manager = await jetstreamManager(connection)
      const found: StreamInfo[] = []
      for await (const info of manager.streams.list()) if (isOurs(info)) found.push(info)
      const refused = new Map(found.map(({ config, state }) => [config.name, state.messages]))
      const streams: StreamLook[] = []
      for (const info of found) {
        if (info.config.name.endsWith(REFUSED)) continue
        const writer = await manager.consumers.info(info.config.name, WRITER).catch(() => null)
        streams.push({
          ...toStreamLook(info),
          written: writer !== null && writer.num_waiting + writer.num_ack_pending > 0,
          refused: refused.get(`${info.config.name}${REFUSED}`) ?? 0,
        })
      }
      return success({ where, version: connection.info?.version ?? '', round_trip_ms, streams })
    } finally {
      await connection.close()
    }
  } catch (error) {
    return toFailure(error, where)
  }
}

const REFUSED = '_refused'
const NAME = /^panoptes_(.+)_[^_]+(?:_refused)?$/
const isOurs = ({ config }: StreamInfo): boolean => NAME.test(config.name)

function toStreamLook({ config, state, cluster }: StreamInfo): Omit<StreamLook, 'written' | 'refused'> {
  return {
    name: config.name,
    space: NAME.exec(config.name)?.[1] ?? '',
    waiting: state.messages,
    waiting_bytes: state.bytes,
    most_bytes: config.max_bytes,
    lag_ms: state.messages === 0 ? 0 : Math.max(0, Date.now() - Date.parse(state.first_ts)),
    replicas: config.num_replicas,
    behind: cluster?.replicas?.filter(({ current, offline }) => !current || offline === true).length ?? 0,
  }
}
