import type { EventInput, NewEvent, Outcome } from '@panoptes/schema'
import { PLAYS } from './cast.ts'
import { random } from './random.ts'
import { FOLLOW_UPS, HELPER_MODELS } from './sample-data.ts'
import { type Beat, type Life, mint, type Stage, say } from './stage.ts'
import { type Tally, work } from './work.ts'

export interface DayOptions {
  readonly seed: number
  /** The number of events. The day continues into the next one when they do not fit. */
  readonly events?: number | undefined
  /** The time of the first event, in milliseconds. */
  readonly start?: number | undefined
}

const DEFAULT_START = Date.UTC(2026, 8, 15, 7, 30)
const DEFAULT_EVENTS = 20_000

/** The number of concurrent sessions at each hour of the day, UTC. */
const OPEN_BY_HOUR = [1, 1, 1, 1, 1, 1, 2, 4, 6, 7, 7, 6, 3, 5, 7, 7, 6, 5, 3, 2, 2, 1, 1, 1]

/** Generates a day of agents, event by event, in time order. It keeps only the running agents in memory. */
export function* generateDay(options: DayOptions): Generator<EventInput, void, undefined> {
  const { seed, events = DEFAULT_EVENTS, start = DEFAULT_START } = options
  const clock = { now: start }
  const beats = schedule(office(seed, clock), clock)
  for (let count = 0; count < events; count += 1) {
    const beat = beats.next()
    if (beat.done) return
    yield beat.value
  }
}

/**
 * Opens sessions according to the hour. Each play occurs once before any repeats, and the generator never
 * ends.
 */
function* office(seed: number, clock: { readonly now: number }): Life {
  const chance = random(seed)
  let open = 0
  let serial = 0
  const leave = (): void => {
    open -= 1
  }
  for (;;) {
    const hour = new Date(clock.now).getUTCHours()
    if (open >= (OPEN_BY_HOUR[hour] ?? 1)) {
      yield { after: chance.about(25_000) }
      continue
    }
    open += 1
    serial += 1
    const stage: Stage = {
      chance,
      clock,
      play: PLAYS[serial - 1] ?? chance.pickWeighted(PLAYS),
      session: `${chance.hex(8)}-${chance.hex(4)}-${serial.toString(16).padStart(4, '0')}`,
      host: chance.chance(0.8) ? 'studio' : 'workbench',
      helpers: 0,
      serial: 0,
    }
    yield { after: serial === 1 ? 0 : chance.about(2_500), begin: session(stage, leave) }
  }
}

/** Generates one session from its first prompt to its end. One in forty stays open. */
function* session(stage: Stage, ended: () => void): Life {
  const { chance, play } = stage
  const about = {
    cwd: `/home/dev/${play.project}`,
    project: play.project,
    title: play.title,
    model: play.model,
  }
  yield {
    after: 0,
    event: say(stage, 'session_start', undefined, { agent_id: 'main', ...about, reason: 'startup' }),
  }
  const tally = { calls: 0, micro: 0 }
  const turns = chance.int(2, 7)
  for (let turn = 0; turn < turns; turn += 1) {
    const prompt = { agent_id: 'main', prompt_preview: chance.pick(play.prompts) }
    yield { after: chance.about(turn === 0 ? 1_500 : 40_000), event: say(stage, 'prompt', undefined, prompt) }
    const rounds = chance.int(2, 6)
    for (let round = 0; round < rounds; round += 1) yield* work(stage, 'main', play.model, tally)
    if (chance.chance(0.7)) yield* delegate(stage, 'main', 1, chance.int(1, 5))
    yield* waitForHelpers(stage)
    if (chance.chance(0.3)) {
      const idle = { agent_id: 'main', reason: 'idle: waiting for a prompt' }
      yield { after: chance.about(1_000), event: say(stage, 'agent_wait', undefined, idle) }
    }
  }
  ended()
  if (chance.chance(0.025)) return
  yield {
    after: chance.about(20_000),
    event: say(stage, 'session_end', undefined, { reason: 'prompt_input_exit' }),
  }
}

/** Helpers begin only while main works, so a session never ends before its last helper. */
function* waitForHelpers(stage: Stage): Life {
  while (stage.helpers > 0) yield { after: stage.chance.about(6_000) }
}

const MOST_HELPERS = 14
const DEEPEST = 3

interface Ending {
  readonly weight: number
  readonly end: Outcome | 'lost' | 'silent'
}

/** These are the ways in which a helper's run ends. Most runs end well. */
const ENDINGS: readonly [Ending, ...Ending[]] = [
  { weight: 74, end: 'functional' },
  { weight: 12, end: 'partial' },
  { weight: 4, end: 'scaffolding' },
  { weight: 6, end: 'fail' },
  { weight: 3, end: 'lost' },
  { weight: 1, end: 'silent' },
]

/** Starts up to `count` helpers side by side; they run concurrently with their parent. */
function* delegate(stage: Stage, parent: string, depth: number, count: number): Life {
  for (let n = 0; n < count && stage.helpers < MOST_HELPERS; n += 1) {
    stage.helpers += 1
    yield { after: stage.chance.about(300), begin: helper(stage, parent, depth) }
  }
}

function* helper(stage: Stage, parent: string, depth: number): Life {
  const { chance } = stage
  const id = mint(stage, 'a')
  const model = chance.pickWeighted(HELPER_MODELS).name
  const type = chance.pick(stage.play.helpers)
  const prompt = chance.pick(stage.play.prompts)
  const late = chance.chance(0.15)
  const identity = { parent_id: parent, subagent_type: type, model, prompt_preview: `${type}: ${prompt}` }
  const background = chance.chance(0.3)
  const first = late ? { background } : { ...identity, background }
  yield { after: 0, event: say(stage, 'agent_spawn', id, first) }

  const began = stage.clock.now
  const tally: Tally = { calls: 0, micro: 0 }
  const rounds = chance.about(7)
  for (let round = 0; round < rounds; round += 1) {
    yield* work(stage, id, model, tally)
    if (late && round === 1) {
      const link = { ...identity, tool_use_id: mint(stage, 'toolu_') }
      yield { after: chance.about(200), event: say(stage, 'agent_link', id, link) }
    }
    if (depth < DEEPEST && chance.chance(0.05)) yield* delegate(stage, id, depth + 1, chance.int(1, 3))
  }
  yield* finish(stage, id, tally, began)
  stage.helpers -= 1
}

function* finish(stage: Stage, id: string, tally: Tally, began: number): Life {
  const { chance } = stage
  const { end } = chance.pickWeighted(ENDINGS)
  if (end === 'silent') return
  if (end === 'lost') {
    const lost = { agent_id: id, reason: 'no sign for 10 minutes' }
    yield { after: 600_000, event: say(stage, 'agent_lost', undefined, lost) }
    return
  }
  const stubs = end === 'functional' ? 0 : chance.int(1, 4)
  if (chance.chance(0.4)) {
    const verified = chance.chance(0.8) ? 'yes' : 'no'
    const follow_ups = end === 'functional' ? [] : FOLLOW_UPS.slice(0, stubs)
    const checks = [{ name: 'tests', result: end === 'functional' ? 'PASS' : 'NOT-RUN' }]
    const marker = { agent_id: id, shipped: end, stubs, verified, checks, follow_ups }
    yield { after: 200, event: say(stage, 'status', undefined, marker) }
  }
  const sum = { tool_use_count: tally.calls, cost_usd: tally.micro / 1_000_000 }
  const done = { outcome: end, stubs, duration_ms: stage.clock.now - began, ...sum }
  yield { after: chance.about(700), event: say(stage, 'agent_done', id, done) }
}

interface Turn {
  readonly at: number
  readonly order: number
  readonly life: Life
  readonly beat: Beat
}

/** Runs many lives against one clock and yields their events in time order. */
function* schedule(first: Life, clock: { now: number }): Generator<EventInput, void, undefined> {
  const heap: Turn[] = []
  let order = 0
  const resume = (life: Life): void => {
    const next = life.next()
    if (next.done) return
    order += 1
    push(heap, { at: clock.now + Math.round(next.value.after), order, life, beat: next.value })
  }
  resume(first)
  for (let turn = pop(heap); turn; turn = pop(heap)) {
    clock.now = turn.at
    if (turn.beat.event) yield { ...turn.beat.event, ts: turn.at }
    if (turn.beat.begin) resume(turn.beat.begin)
    resume(turn.life)
  }
}

const isBefore = (a: Turn, b: Turn): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

function push(heap: Turn[], turn: Turn): void {
  let place = heap.length
  heap.push(turn)
  while (place > 0) {
    const above = (place - 1) >> 1
    const parent = heap[above]
    if (!parent || isBefore(parent, turn)) break
    heap[place] = parent
    place = above
  }
  heap[place] = turn
}

function pop(heap: Turn[]): Turn | undefined {
  const top = heap[0]
  const last = heap.pop()
  if (!top || !last || heap.length === 0) return top
  let place = 0
  for (;;) {
    const left = heap[place * 2 + 1]
    const right = heap[place * 2 + 2]
    const child = left && right && isBefore(right, left) ? right : left
    if (!child || isBefore(last, child)) break
    heap[place] = child
    place = place * 2 + (child === right ? 2 : 1)
  }
  heap[place] = last
  return top
}

/** Yields the day in the form the store takes: each event complete except for its `seq`. */
export function* generateNewEvents(options: DayOptions): Generator<NewEvent, void, undefined> {
  for (const event of generateDay(options)) yield toNewEvent(event)
}

/** Completes a generated event. Events from outside are completed by the server instead. */
export function toNewEvent(event: EventInput): NewEvent {
  const { ts, key, session_id: session } = event
  if (typeof ts !== 'number' || key === undefined || !session) throw new Error('not an event of the demo')
  return {
    ...event,
    v: 1,
    key,
    ts,
    source: event.source ?? 'custom',
    host: event.host ?? 'studio',
    session_id: session,
  }
}
