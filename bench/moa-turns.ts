import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway, Models, Preset } from './moa-processes.ts'
import { median, quantile } from './statistics.ts'

/** Sends a question and resolves when the answer is complete. */
export type Turn = (turn: string) => Promise<void>

const QUESTION = 'Look at what there is, and say in which order it should be changed, and why. '.repeat(20)
const words = (turn: string): string => `turn ${turn}: ${QUESTION}`

async function ask(
  address: string,
  key: string,
  model: string,
  messages: readonly object[],
): Promise<string> {
  const reply = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } }),
  })
  const text = await reply.text()
  if (!text.endsWith('data: [DONE]\n\n')) throw new Error(`${reply.status}: ${text.slice(0, 300)}`)
  return text
}

export const byGateway =
  ({ address, key }: Gateway, preset: string): Turn =>
  async (turn) => {
    const session = { role: 'system', content: `Session ${turn}` }
    await ask(address, key, `moa/${preset}`, [session, { role: 'user', content: words(turn) }])
  }

/**
 * Makes the same calls by bare `fetch`: the references in parallel, then the acting model with their advice.
 */
export const byFetch =
  ({ address }: Models, { references, acting }: Preset): Turn =>
  async (turn) => {
    const user = { role: 'user', content: words(turn) }
    const system = { role: 'system', content: 'You advise another model.' }
    const said = await Promise.all(
      references.map((ms) => ask(address, 'none', `reference-${ms}`, [system, user])),
    )
    await ask(address, 'none', `acting-${acting}`, [user, { role: 'user', content: said.join('\n') }])
  }

export interface Took {
  /** The median milliseconds of a turn, and of its time beyond the slowest reference and the acting model. */
  readonly turn: number
  readonly over: number
  readonly over95: number
}

let begun = 0

interface Many {
  readonly count: number
  readonly inFlight: number
  /**
   * The first turns start evenly over this many milliseconds, because people do not ask at the same moment.
   */
  readonly overMs?: number
}

export async function turns(turn: Turn, models: Models, many: Many): Promise<Took> {
  const { count, inFlight, overMs = 0 } = many
  await models.times()
  const took = new Map<string, number>()
  const last = begun + count
  const one = async (place: number): Promise<void> => {
    await sleep((overMs * place) / inFlight)
    while (begun < last) {
      begun += 1
      const name = `t${begun}`
      const start = performance.now()
      await turn(name)
      took.set(name, performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, place) => one(place)))
  const over: number[] = []
  for (const [name, { reference, acting }] of await models.times()) {
    const ms = took.get(name)
    if (ms !== undefined) over.push(ms - reference - acting)
  }
  return { turn: median([...took.values()]), over: median(over), over95: quantile(over, 0.95) }
}
