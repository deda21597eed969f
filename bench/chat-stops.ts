import { setTimeout as sleep } from 'node:timers/promises'
import type { AcpAct } from '@panoptes/engine/testing/scripted-agent'
import type { SseFrame } from '@panoptes/schema'
import type { Stage } from './chat.bench.ts'
import { type Asked, begin, call, say } from './chat-client.ts'
import { childrenOf } from './chat-processes.ts'
import type { Report } from './report.ts'
import { median, round } from './statistics.ts'

const MOST_MS = 200
const PATIENCE_MS = 3_000

interface Moment {
  readonly name: string
  readonly asked: Omit<Asked, 'message'>
  /**
   * Returns whether the run is stopped at this frame. Without it, the run is stopped when a model gets its
   * request.
   */
  readonly at?: (frame: SseFrame) => boolean
  readonly act?: AcpAct
}

const has = (kind: string) => (frame: SseFrame) =>
  frame.event === 'progress' && frame.data.includes(`"kind":"${kind}"`)
const isWord = ({ event }: SseFrame) => event === 'chunk'
const ofAgent = { runtime: 'acp:scripted' }

const MOMENTS: readonly Moment[] = [
  {
    name: 'before its context is there',
    asked: { model: 'local/hang' },
    at: ({ event }) => event === 'metadata',
  },
  { name: 'before the first word', asked: { model: 'local/hang' } },
  { name: 'in the middle of an answer', asked: { model: 'local/slow' }, at: isWord },
  { name: 'while a person is asked', asked: { model: 'local/tool-kit__env' }, at: has('approval') },
  { name: 'while a tool is at work', asked: { model: 'local/tool-kit__hang' }, at: has('tool') },
  { name: 'while references are asked', asked: { model: 'moa/stuck' } },
  { name: 'while an ACP agent speaks', asked: ofAgent, at: isWord, act: { say: 'a b c', after: 'hangs' } },
  {
    name: 'while an ACP agent speaks that does not hear',
    asked: ofAgent,
    at: isWord,
    act: { say: 'a b c', after: 'hangs', deaf: true },
  },
]

interface Stopped {
  /**
   * Milliseconds until the stream ended, until the stop request was answered, and until nothing of the run
   * was left.
   */
  readonly ended: number
  readonly answered: number
  readonly freed: number
  readonly left: string
}

/**
 * Measures how long a stop takes at any point of a run: until its stream ended and no model call, agent or
 * process is left.
 */
export async function stopsPart(stage: Stage): Promise<Pick<Report, 'tables' | 'promises'>> {
  const times = stage.quick ? 2 : 10
  const found: { name: string; all: Stopped[] }[] = []
  // The tool server starts with the first question and stays.
  for await (const { event, data } of say(stage.chats, await begin(stage.chats), {
    message: 'turn a0: hello',
  }))
    if (event === 'error') throw new Error(data)
  for (const moment of MOMENTS) {
    const all: Stopped[] = []
    for (let n = 0; n < times; n += 1) all.push(await stoppedAt(stage, moment))
    found.push({ name: moment.name, all })
  }
  const most = Math.max(...found.flatMap(({ all }) => all.map(({ freed }) => freed)))
  const left = found.flatMap(({ name, all }) =>
    all.flatMap((one) => (one.left === '' ? [] : [`${name}: ${one.left}`])),
  )
  return {
    tables: [
      {
        title: `Stopping a run, ${times} times each`,
        rows: found.map(({ name, all }) => ({
          'stopped …': name,
          'its stream ends p50, ms': round(median(all.map(({ ended }) => ended))),
          'answered p50, ms': round(median(all.map(({ answered }) => answered))),
          'everything free p50, ms': round(median(all.map(({ freed }) => freed))),
          'at most, ms': round(Math.max(...all.map(({ freed }) => freed))),
        })),
      },
    ],
    promises: [
      {
        says: `stopping frees everything within ${MOST_MS} ms, wherever a run is`,
        holds: most < MOST_MS && left.length === 0,
        measured: `${round(most)} ms at most${left.length === 0 ? '' : `; left: ${left.slice(0, 3).join('; ')}`}`,
      },
    ],
  }
}

let asked = 0

async function stoppedAt({ chats, models, agent }: Stage, moment: Moment): Promise<Stopped> {
  const { daemon } = chats
  asked += 1
  if (moment.act) agent.play(moment.act)
  const id = await begin(chats)
  const before = childrenOf(daemon.pid)
  const reached = Promise.withResolvers<void>()
  const over = Promise.withResolvers<number>()
  const read = async () => {
    for await (const frame of say(chats, id, { message: `turn a${asked}: do it`, ...moment.asked })) {
      if (moment.at?.(frame)) reached.resolve()
      if (frame.event === 'error') throw new Error(frame.data)
      if (frame.event === 'done') over.resolve(performance.now())
    }
  }
  const reading = read().catch((error: unknown) => {
    reached.reject(error)
    over.reject(error)
  })
  if (moment.at === undefined)
    void until(async () => (await models.state()).open > 0).then(() => reached.resolve())
  await reached.promise
  const start = performance.now()
  await call(chats, `/${id}/cancel`, 'POST')
  const answered = performance.now() - start
  const ended = (await over.promise) - start
  // An agent that obeys the stop stays alive for the next message.
  const kept = moment.act !== undefined && !moment.act.deaf ? 1 : 0
  let left = ''
  const freed = await until(async () => {
    const { open } = await models.state()
    const children = [...childrenOf(daemon.pid)].filter((pid) => !before.has(pid)).length
    left = [
      open > 0 ? `${open} calls of models` : '',
      agent.activeAnswers() > 0 ? `${agent.activeAnswers()} answers of an agent` : '',
      children > kept ? `${children} processes` : '',
    ]
      .filter((one) => one !== '')
      .join(', ')
    return left === ''
  })
  await reading
  return { ended, answered, freed: Math.max(freed - start, answered, ended), left }
}

async function until(isSo: () => Promise<boolean>): Promise<number> {
  const limit = performance.now() + PATIENCE_MS
  while (!(await isSo()) && performance.now() < limit) await sleep(3)
  return performance.now()
}
