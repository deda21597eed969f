import { setTimeout as sleep } from 'node:timers/promises'
import type { SseFrame } from '@panoptes/schema'
import type { Stage } from './chat.bench.ts'
import { deltaOf, say } from './chat-client.ts'
import type { Models } from './chat-processes.ts'
import type { Report } from './report.ts'
import { median, quantile, round } from './statistics.ts'

const OVER_MS = 15
const ROUNDS = 5

interface Turn {
  readonly chat: number
  readonly fetch: number
  /**
   * Milliseconds after the question until the runtime was named, the context was ready, and the model had the
   * request.
   */
  readonly steps: Readonly<Record<'metadata' | 'context' | 'asked', number>>
  /** The number of model calls from the question to its first word. */
  readonly calls: number
  /** The decision of the plan. Each parallel part is a separate call. */
  readonly plan: string
  /** Milliseconds that the sections of the context took, by key. */
  readonly sections: Readonly<Record<string, number>>
}

/** Measures the time to the first word against the same request by bare `fetch` a moment later. */
export async function firstPart(stage: Stage): Promise<Pick<Report, 'tables' | 'promises'>> {
  const { chats, quick, messages } = stage
  const each = quick ? 5 : 40
  for (let n = 0; n < 10; n += 1) await turnOf(stage)
  const rounds: Turn[][] = []
  for (let n = 0; n < (quick ? 1 : ROUNDS); n += 1) {
    const turns: Turn[] = []
    for (let m = 0; m < each; m += 1) turns.push(await turnOf(stage))
    rounds.push(turns)
  }
  const over = (turns: readonly Turn[]) => turns.map(({ chat, fetch }) => chat - fetch)
  const p50 = median(rounds.map((turns) => median(over(turns))))
  const all = rounds.flat()
  const simple = all.filter(({ plan }) => plan === 'sequential').map(({ calls }) => calls)
  const [least, most] = [Math.min(...simple), Math.max(...simple)]
  const keys = [...new Set(all.flatMap(({ sections }) => Object.keys(sections)))]
  return {
    tables: [
      {
        title: `The first word in a conversation of ${messages} messages, with ${chats.remembered.messages} remembered; ${each} turns a round`,
        rows: rounds.map((turns, n) => ({
          round: n + 1,
          'by Panoptes p50, ms': round(median(turns.map(({ chat }) => chat))),
          'metadata p50, ms': round(median(turns.map(({ steps }) => steps.metadata))),
          'context p50, ms': round(median(turns.map(({ steps }) => steps.context))),
          'model has the request p50, ms': round(median(turns.map(({ steps }) => steps.asked))),
          'by bare fetch p50, ms': round(median(turns.map(({ fetch }) => fetch))),
          'over p50, ms': round(median(over(turns))),
          'over p95, ms': round(quantile(over(turns), 0.95)),
        })),
      },
      {
        title: 'What the parts of the context took, side by side',
        rows: keys.map((part) => {
          const took = all.flatMap(({ sections }) => sections[part] ?? [])
          return { part, 'p50, ms': round(median(took)), 'p95, ms': round(quantile(took, 0.95)) }
        }),
      },
    ],
    promises: [
      {
        says: `the first word comes within ${OVER_MS} ms over the provider's own at p50`,
        holds: p50 < OVER_MS,
        measured: `${round(p50)} ms, the median of ${rounds.length} rounds; p95 over all turns ${round(quantile(over(all), 0.95))} ms`,
      },
      {
        says: 'no model is called before the first word but the one that answers',
        holds: most === 1 && least === 1,
        measured: `${least} to ${most} calls in each of ${simple.length} turns; ${all.length - simple.length} more had a plan whose parts are worked on side by side`,
      },
    ],
  }
}

let asked = 0

async function turnOf({ chats, models }: Stage): Promise<Turn> {
  asked += 1
  const before = await quiet(models)
  const about = (chats.remembered.words(asked).match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 12).join(' ')
  const message = `turn f${asked}: What did we say about this: ${about}?`
  const start = performance.now()
  let chat = Number.NaN
  let text = ''
  let plan = ''
  const steps = { metadata: Number.NaN, context: Number.NaN, asked: Number.NaN }
  let sections = {}
  for await (const frame of say(chats, chats.long, { message })) {
    text += deltaOf(frame)
    if (frame.event === 'metadata') steps.metadata = performance.now() - start
    if (frame.event === 'chunk' && Number.isNaN(chat)) chat = performance.now() - start
    if (frame.event === 'progress' && Number.isNaN(steps.context)) {
      sections = sectionsIn(frame) ?? sections
      steps.context = performance.now() - start
    }
    if (frame.event === 'progress') plan ||= planIn(frame)
    if (frame.event === 'error') throw new Error(frame.data)
  }
  const [, count, came] = /^#(\d+)@([\d.]+) /.exec(text) ?? []
  const calls = Number(count) - before
  steps.asked = Number(came) - performance.timeOrigin - start
  await quiet(models)
  return { chat, fetch: await byFetch(models, await models.last()), steps, calls, plan, sections }
}

function sectionsIn({ data }: SseFrame): Readonly<Record<string, number>> | undefined {
  const { kind, detail, elapsed_ms } = JSON.parse(data) as {
    kind: string
    elapsed_ms?: number
    detail?: { sections?: readonly { key: string; elapsed_ms?: number }[] }
  }
  if (kind !== 'context') return undefined
  const took = (detail?.sections ?? []).flatMap(({ key, elapsed_ms: ms }) =>
    ms === undefined ? [] : [[key, ms]],
  )
  return { ...Object.fromEntries(took), 'all of it': elapsed_ms ?? Number.NaN }
}

function planIn({ data }: SseFrame): string {
  const { kind, detail } = JSON.parse(data) as { kind: string; detail?: { decision?: string } }
  return kind === 'plan' ? (detail?.decision ?? '') : ''
}

/** Waits until no model is called any more, so that the work after an answer is over. */
async function quiet(models: Models): Promise<number> {
  for (let before = -1; ; ) {
    const { calls, open } = await models.state()
    if (open === 0 && calls === before) return calls
    before = calls
    await sleep(25)
  }
}

async function byFetch({ address }: Models, body: string): Promise<number> {
  const start = performance.now()
  const reply = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  let took = Number.NaN
  const decoder = new TextDecoder()
  for await (const part of reply.body ?? [])
    if (Number.isNaN(took) && decoder.decode(part).includes('"content":"#')) took = performance.now() - start
  return took
}
