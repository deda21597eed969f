import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Conversation, type SseFrame, StreamChecker } from '@panoptes/schema'
import type { Stage } from './chat.bench.ts'
import { begin, call, deltaOf, goOn, say } from './chat-client.ts'
import { processorMs } from './live-process.ts'
import type { Report } from './report.ts'
import { median, quantile, round } from './statistics.ts'

const PIECES = 60
const EVERY_MS = 50

interface Followed {
  readonly problems: readonly string[]
  readonly events: number
  readonly cuts: number
  readonly first: number
  readonly ms: number
}

/** Measures many answers at once, half of which are interrupted and resumed on another connection. */
export async function streamsPart({ chats, quick }: Stage): Promise<Pick<Report, 'tables' | 'promises'>> {
  const many = quick ? 40 : 500
  const ids: string[] = []
  for (let n = 0; n < many; n += 1) ids.push(await begin(chats))
  const before = processorMs(chats.daemon.pid)
  const began = performance.now()
  const all = await Promise.all(
    ids.map((id, n) => follow({ chats, id, turn: `s${n}`, cuts: n % 2 === 0 ? 0 : 1 + (n % 3) })),
  )
  const seconds = (performance.now() - began) / 1_000
  const wrong = all.flatMap(({ problems }) => problems)
  const cut = all.filter(({ cuts }) => cuts > 0)
  const took = all.map(({ ms }) => ms)
  return {
    tables: [
      {
        title: `${many} answers of ${PIECES} pieces at once, one every ${EVERY_MS} ms: ${(PIECES * EVERY_MS) / 1_000} s by themselves`,
        rows: [
          {
            answers: many,
            'left and gone on with': cut.length,
            'how often': cut.reduce((sum, { cuts }) => sum + cuts, 0),
            events: all.reduce((sum, { events }) => sum + events, 0),
            'seconds in all': round(seconds),
            'processor time of the daemon, s': round((processorMs(chats.daemon.pid) - before) / 1_000),
            'first word p50, s': round(median(all.map(({ first }) => first)) / 1_000),
            'an answer p50, s': round(median(took) / 1_000),
            'p95, s': round(quantile(took, 0.95) / 1_000),
          },
        ],
      },
    ],
    promises: [
      {
        says: `of ${many} answers at once no event is lost, doubled or out of order, and none breaks the contract`,
        holds: wrong.length === 0,
        measured:
          wrong.length === 0
            ? `nothing wrong with ${many}`
            : `${wrong.length}: ${wrong.slice(0, 3).join('; ')}`,
      },
    ],
  }
}

interface Wish {
  readonly chats: Stage['chats']
  readonly id: string
  readonly turn: string
  /** The number of interruptions. */
  readonly cuts: number
}

/** Reads one answer to its end. The parts before and after an interruption must form one stream. */
async function follow({ chats, id, turn, cuts }: Wish): Promise<Followed> {
  const checker = new StreamChecker()
  const start = performance.now()
  let text = ''
  let last: string | null = null
  let events = 0
  let first = Number.NaN
  let isOver = false
  const read = async (frames: AsyncIterable<SseFrame>, most: number): Promise<void> => {
    let taken = 0
    for await (const frame of frames) {
      checker.take(frame)
      text += deltaOf(frame)
      last = frame.id
      if (frame.event === 'chunk' && Number.isNaN(first)) first = performance.now() - start
      events += 1
      taken += 1
      isOver = frame.event === 'done' || frame.event === 'error'
      if (taken >= most) return
    }
  }
  const message = `turn ${turn}: say it`
  const model = `local/stream-${PIECES}-${EVERY_MS}`
  await read(say(chats, id, { message, model }), cuts === 0 ? Number.POSITIVE_INFINITY : 8)
  for (let n = 1; n <= cuts && !isOver; n += 1) {
    await sleep(n * 90)
    await read(goOn(chats, id, last ?? ''), n === cuts ? Number.POSITIVE_INFINITY : 12)
  }
  const ms = performance.now() - start
  const { messages } = await call<Conversation>(chats, `/${id}`)
  const wanted = hashOf(Array.from({ length: PIECES }, (_, n) => `${turn}.${n} `).join(''))
  const problems = checker.result().problems.map(({ rule, message: why }) => `${turn}: ${rule}: ${why}`)
  if (hashOf(text) !== wanted) problems.push(`${turn}: other words than the model said`)
  if (hashOf(messages.at(-1)?.content ?? '') !== wanted) problems.push(`${turn}: other words are stored`)
  return { problems, events, cuts, first, ms }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
