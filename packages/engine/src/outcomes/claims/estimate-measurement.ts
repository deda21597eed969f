import type { Evidence, Message } from '@panoptes/schema'
import { commandText } from '../tool-calls/command.ts'
import { parseEdits } from '../tool-calls/edits.ts'
import { didNotRun } from '../tool-calls/test-outcome.ts'
import { parseTestRun } from '../tool-calls/test-run.ts'
import { classifyTool, normalizeToolName } from '../tool-calls/tools.ts'
import { stem } from './claim-subjects.ts'
import type { Estimated } from './estimate-value.ts'

/** A measurement and where it was reported. */
export interface Took {
  readonly took: number
  readonly n: number
  readonly agent: string
  readonly call: Evidence['tool_use_id']
}

/** An estimate that waits for its measurement. */
interface Waiting {
  readonly place: number
  readonly ts: number
  readonly calls: number
  readonly lines: number
  readonly edits: number
  readonly away: number
  readonly of: 'work' | 'lines' | 'files'
}

interface Turn {
  /** A running total, so that a span is a difference. */
  calls: number
  lines: number
  edits: number
  /** The index of each file's last edit. */
  readonly files: Map<string, number>
  last: { readonly ts: number; readonly n: number } | undefined
  /** The total time it waited for a person. */
  readonly away: Away
  /** True if the last reply made no call, so its turn is over. */
  isOver: boolean
  waiting: Waiting[]
}

interface Run {
  readonly ts: number | null
  readonly n: number
  readonly words: ReadonlySet<string>
}

const MOST_FILES = 20_000
const MOST_RUNS = 1_000

/**
 * Measures the subjects of estimates while messages are read: what their agent did next and how
 * long it took.
 */
export class Measured {
  readonly took = new Map<number, Took>()
  readonly #turns = new Map<string, Turn>()
  /** Estimates by agent and word, until a command of that name was run. */
  readonly #runs = new Map<string, Map<string, number[]>>()
  readonly #running = new Map<string, Run>()

  /** `place` identifies the estimate. Call it before its message is added. */
  addEstimate(place: number, { of }: Estimated, { agent_id: agent, ts }: Message): void {
    if (of === undefined || ts === null) return
    const turn = this.#turn(agent)
    turn.away.sign(ts)
    if (typeof of === 'string') {
      const { calls, lines, edits } = turn
      turn.waiting.push({ place, ts, calls, lines, edits, away: turn.away.ms, of })
      return
    }
    const words = this.#runs.get(agent) ?? new Map<string, number[]>()
    this.#runs.set(agent, words)
    const word = runWord(of.run)
    words.set(word, [...(words.get(word) ?? []).slice(-MOST_RUNS), place])
  }

  saw(message: Message, n: number): void {
    const { agent_id: agent, role, content, ts } = message
    const turn = this.#turn(agent)
    if (role === 'user' && !message.hidden && !content.some(({ type }) => type === 'tool_result')) {
      this.#ends(agent, turn)
      turn.isOver = false
      turn.away.begins()
      return
    }
    if (role === 'assistant') turn.isOver = !content.some(({ type }) => type === 'tool_call')
    if (ts !== null) {
      turn.away.sign(ts)
      turn.last = { ts, n }
    }
    for (const block of content) {
      if (block.type === 'tool_call') turn.away.called(block.id, block.tool, ts)
      if (block.type === 'tool_result') turn.away.answered(block, ts)
      if (block.type === 'tool_call') this.#called(agent, turn, block, ts, n)
      if (block.type === 'tool_result') this.#answered(agent, block, ts)
    }
  }

  /** Ends the session. Turns that are not over are not measured. */
  end(isFinished: (agent: string) => boolean): void {
    for (const [agent, turn] of this.#turns) if (turn.isOver || isFinished(agent)) this.#ends(agent, turn)
  }

  #called(
    agent: string,
    turn: Turn,
    { id, tool, input }: { readonly id: string; readonly tool: string; readonly input: unknown },
    ts: number | null,
    n: number,
  ): void {
    turn.calls += 1
    const wanted = this.#runs.get(agent)
    const deed = classifyTool(tool)
    if (deed === 'spawn' && wanted?.has(AGENT))
      // A call that only launches an agent returns at once, so its duration must be reported later.
      this.#running.set(`${agent}\0${id}`, { ts: null, n, words: new Set([AGENT]) })
    if (wanted !== undefined && wanted.size > 0 && deed === 'run')
      this.#running.set(`${agent}\0${id}`, { ts, n, words: extractRunWords(commandText(input) ?? '') })
    for (const { path, before = '', after } of parseEdits(tool, input)) {
      turn.edits += 1
      turn.lines += changedLines(before, after)
      if (turn.files.size < MOST_FILES || turn.files.has(path)) turn.files.set(path, turn.edits)
    }
  }

  #answered(
    agent: string,
    {
      id,
      ok,
      duration_ms,
    }: { readonly id: string; readonly ok: boolean | null; readonly duration_ms: number | null },
    ts: number | null,
  ): void {
    const run = this.#running.get(`${agent}\0${id}`)
    if (run === undefined) return
    this.#running.delete(`${agent}\0${id}`)
    const took = duration_ms ?? (ts === null || run.ts === null ? null : ts - run.ts)
    const wanted = this.#runs.get(agent)
    // A failed call ended early.
    if (took === null || took <= 0 || ok === false || wanted === undefined) return
    for (const word of run.words) {
      for (const place of wanted.get(word) ?? []) this.took.set(place, { took, n: run.n, agent, call: id })
      wanted.delete(word)
    }
  }

  #ends(agent: string, turn: Turn): void {
    const { last, waiting } = turn
    turn.waiting = []
    if (last === undefined || waiting.length === 0) return
    const edits = [...turn.files.values()].sort((a, b) => a - b)
    for (const each of waiting) {
      const took = {
        work: last.ts - each.ts - (turn.away.ms - each.away),
        lines: turn.lines - each.lines,
        files: countAfter(edits, each.edits),
      }[each.of]
      if (turn.calls > each.calls && took > 0)
        this.took.set(each.place, { took, n: last.n, agent, call: null })
    }
  }

  #turn(agent: string): Turn {
    const existing = this.#turns.get(agent)
    if (existing !== undefined) return existing
    const turn: Turn = {
      calls: 0,
      lines: 0,
      edits: 0,
      files: new Map(),
      last: undefined,
      away: new Away(),
      isOver: false,
      waiting: [],
    }
    this.#turns.set(agent, turn)
    return turn
  }
}

/** Counts the sorted numbers above another. */
function countAfter(sorted: readonly number[], above: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const mid = (low + high) >> 1
    if ((sorted[mid] as number) > above) high = mid
    else low = mid + 1
  }
  return sorted.length - low
}

const SUITE = /^(?:suites?|tests?)$/
const AGENT = 'agent'
const SPAWNED = /^(?:(?:sub-?)?agents?|helpers?)$/

function runWord(word: string): string {
  if (SUITE.test(word)) return 'test'
  return SPAWNED.test(word) ? AGENT : stem(word)
}

function extractRunWords(line: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [word] of line.slice(0, 4_096).matchAll(/\p{L}{3,40}/gu)) words.add(stem(word))
  words.delete('test')
  words.delete(AGENT)
  if (parseTestRun(line) !== undefined) words.add('test')
  return words
}

/** The number of lines an edit changed: added or removed, whichever is more. */
function changedLines(before: string, after: string): number {
  const counts = new Map<string, number>()
  let [came, went] = [0, 0]
  for (const line of before === '' ? [] : before.split('\n')) {
    counts.set(line, (counts.get(line) ?? 0) + 1)
    went += 1
  }
  for (const line of after === '' ? [] : after.replace(/\n$/, '').split('\n')) {
    const same = counts.get(line) ?? 0
    if (same > 0) {
      counts.set(line, same - 1)
      went -= 1
    } else came += 1
  }
  return Math.max(came, went)
}

/** Tools that a person answers. */
const ASKS: ReadonlySet<string> = new Set(
  ['AskUserQuestion', 'ExitPlanMode', 'request_user_input', 'clarify', 'question'].map(normalizeToolName),
)
/** A gap of more milliseconds without a call is not thinking time. */
const LONGEST_THOUGHT = 1_800_000
const MOST_CALLS = 1_000

interface Answer {
  readonly id: string
  readonly ok: boolean | null
  readonly text: string
  readonly duration_ms: number | null
}

/**
 * Measures how long an agent waited for a person: an answer, a permission, or a sleeping computer.
 */
class Away {
  ms = 0
  readonly #calls = new Map<string, { readonly tool: string; readonly ts: number }>()
  #last: number | undefined
  /** Everything before this time is counted. */
  #until = 0

  /** Records any sign of life, before its content is handled. */
  sign(ts: number): void {
    const last = this.#last
    if (last !== undefined && this.#calls.size === 0 && ts - last > LONGEST_THOUGHT) this.#count(last, ts)
    this.#last = Math.max(ts, last ?? ts)
  }

  /** A person writes, so what came before is over. */
  begins(): void {
    this.#last = undefined
    this.#calls.clear()
  }

  called(id: string, tool: string, ts: number | null): void {
    if (ts !== null && this.#calls.size < MOST_CALLS) this.#calls.set(id, { tool, ts })
  }

  answered({ id, ok, text, duration_ms }: Answer, ts: number | null): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (call === undefined || ts === null) return
    const isPersons = ASKS.has(normalizeToolName(call.tool)) || (ok === false && didNotRun(text))
    // The part of a call that the call itself did not take was waiting time.
    if (isPersons) this.#count(call.ts, ts)
    else if (duration_ms !== null) this.#count(call.ts, ts - duration_ms)
  }

  #count(from: number, to: number): void {
    this.ms += Math.max(0, to - Math.max(from, this.#until))
    this.#until = Math.max(this.#until, to)
  }
}
