import { type NewEvent, type RejectedLine, success } from '@panoptes/schema'
import { unwrap } from '../result.test-kit.ts'
import { createCapture } from './capture.ts'

/** The result of one body. */
export interface Captured {
  readonly events: readonly NewEvent[]
  readonly slices: readonly number[]
  readonly rejected: readonly RejectedLine[]
  readonly rejectedCount: number
}

type Agents = ReadonlyMap<string, { source: string; session: string }>

/** Creates a capture with its own clock that knows these agents, without a store. */
export function setUp(agents: Agents = new Map()) {
  let clock = 1_000_000
  const queries: string[][] = []
  const capture = createCapture({
    host: 'here',
    now: () => clock,
    findAgents: async (ids) => {
      queries.push([...ids])
      return success(
        new Map(
          ids.flatMap((id) => {
            const found = agents.get(id)
            return found ? [[id, found] as const] : []
          }),
        ),
      )
    },
  })
  const readText = async (text: string): Promise<Captured> => {
    const events: NewEvent[] = []
    const slices: number[] = []
    const captured = await capture.normalise(Buffer.from(text), async (slice) => {
      events.push(...slice)
      slices.push(slice.length)
      return success(null)
    })
    return { ...unwrap(captured), events, slices }
  }
  return {
    queries,
    capture,
    advance: (ms: number) => {
      clock += ms
    },
    read: async (...lines: unknown[]): Promise<Captured> =>
      readText(lines.map((line) => JSON.stringify(line)).join('\n')),
    readText,
  }
}

export const start = { event: 'session_start', session_id: 's1' }
export const keysOf = (captured: Captured) => captured.events.map((event) => event.key)
