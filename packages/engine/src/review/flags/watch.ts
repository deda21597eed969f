import type { Flag, Message, StatusMarker } from '@panoptes/schema'
import { commandOf } from '../ran/command.ts'
import { type Edit, editsOf } from '../ran/edits.ts'
import { judged } from '../ran/judged.ts'
import { printed } from '../ran/printed.ts'
import { short } from '../ran/quote.ts'
import { type TestRun, testRunOf } from '../ran/test-run.ts'
import { deedOf } from '../ran/tools.ts'
import { type Step, stepsOf } from './aside.ts'
import { LastTests } from './last-tests.ts'
import { LeftStubs } from './left-stubs.ts'

/** Watches what agents do, so that it can be said of a marker whether the transcript bears it out. */
export interface FlagWatch {
  readonly saw: (message: Message, n: number) => void
  /** What speaks against a marker, by all that was seen until now: ask when the message with the marker was seen. */
  readonly flagsOf: (agentId: string, status: StatusMarker) => Flag[]
}

/** Agents of a session; those that come after them are not watched. */
const MOST_AGENTS = 10_000
/** Calls of one agent that wait for their result, and characters in them: the oldest give way. */
const MOST_WAITING = 256
const MOST_WAITING_SIZE = 16_777_216
/** Flags for stubs; the last of them says how many more there are. */
const MOST_STUB_FLAGS = 5

interface Waiting {
  readonly n: number
  readonly run: TestRun | undefined
  /** Whether it looks at what was put into the background before. */
  readonly isLook: boolean
  readonly line: string | undefined
  /** What it shows: a path, or a command. */
  readonly place: string | undefined
  readonly edits: readonly Edit[]
  readonly size: number
}

interface Watched {
  readonly tests: LastTests
  readonly stubs: LeftStubs
  readonly waiting: Map<string, Waiting>
  /** Tests that go on in the background. */
  behind: TestRun | undefined
  size: number
}

export function createFlagWatch(source: string): FlagWatch {
  const agents = new Map<string, Watched>()
  let session = ''
  return {
    saw: (message, n) => {
      session = message.session_id
      if (message.state === 'rewound' || message.state === 'summary') return
      let watched = agents.get(message.agent_id)
      for (const block of message.content) {
        if (block.type === 'tool_call' && message.role === 'assistant') {
          const call = waitingFor(block.tool, block.input, n)
          if (call === undefined) continue
          if (watched === undefined) {
            if (agents.size === MOST_AGENTS) return
            watched = {
              tests: new LastTests(),
              stubs: new LeftStubs(),
              waiting: new Map(),
              behind: undefined,
              size: 0,
            }
            agents.set(message.agent_id, watched)
          }
          wait(watched, block.id, call)
        } else if (block.type === 'tool_result' && watched !== undefined) {
          const call = watched.waiting.get(block.id)
          if (call !== undefined) answered(watched, block.id, call, block)
        }
      }
    },
    flagsOf: (agentId, status) => {
      if (status.shipped !== 'functional') return []
      const evidenceOf = (n: number | null, call: string | null, quote: string | null) => ({
        source,
        session_id: session,
        agent_id: agentId,
        n,
        tool_use_id: call,
        quote: quote === null ? null : short(quote),
      })
      const watched = agents.get(agentId)
      return [
        ...failingChecks(status).map(
          (check): Flag => ({
            kind: 'failing_check',
            says: short(`Says functional, and ${check} in the same marker.`),
            evidence: evidenceOf(null, null, check),
          }),
        ),
        ...(watched?.tests.failing ?? []).map(
          (run): Flag => ({
            kind: 'failing_tests',
            says: `Says functional, and its last run of ${run.what} failed${run.failed === null ? '' : `: ${run.failed} failed`}.`,
            evidence: evidenceOf(run.n, run.call, run.line),
          }),
        ),
        ...stubFlags(watched, status, evidenceOf),
      ]
    },
  }
}

const NO_CALL = { run: undefined, isLook: false, line: undefined, place: undefined, edits: [], size: 0 }

function waitingFor(tool: string, input: unknown, n: number): Waiting | undefined {
  const deed = deedOf(tool)
  if (deed === 'process') return { ...NO_CALL, n, isLook: true }
  if (deed === 'read') return { ...NO_CALL, n, place: pathOf(input) }
  if (deed === 'run') {
    const line = commandOf(input)?.slice(0, 65_536)
    if (line === undefined) return undefined
    return { ...NO_CALL, n, run: testRunOf(line), line, place: line.slice(0, 4_096), size: line.length }
  }
  const edits = editsOf(tool, input)
  const size = edits.reduce((sum, { before = '', after }) => sum + before.length + after.length, 0)
  return edits.length === 0 ? undefined : { ...NO_CALL, n, edits, size }
}

function pathOf(input: unknown): string {
  const { file_path, filePath, path } = (input ?? {}) as Readonly<Record<string, unknown>>
  const given = file_path ?? filePath ?? path
  return typeof given === 'string' ? given.slice(0, 4_096) : ''
}

function wait(watched: Watched, id: string, call: Waiting): void {
  const { waiting } = watched
  watched.size += call.size - (waiting.get(id)?.size ?? 0)
  waiting.delete(id)
  waiting.set(id, call)
  for (const [oldest, { size }] of waiting) {
    if (waiting.size <= MOST_WAITING && watched.size <= MOST_WAITING_SIZE) break
    if (oldest === id) break
    waiting.delete(oldest)
    watched.size -= size
  }
}

interface Answered {
  readonly ok: boolean | null
  readonly text: string
}

function answered(watched: Watched, id: string, call: Waiting, result: Answered): void {
  watched.waiting.delete(id)
  watched.size -= call.size
  if (call.line !== undefined) ranLine(watched, id, call, result)
  else if (call.isLook && watched.behind !== undefined) {
    // Only what sums up a run tells that it is over.
    for (const how of judged(watched.behind, { ok: null, text: result.text }))
      watched.tests.ran(how, id, call.n)
  }
  if (call.line !== undefined) watched.stubs.ran(call.line)
  if (call.place !== undefined && call.run === undefined) watched.stubs.saw(call.place, printed(result.text))
  if (result.ok === false) return
  const isOver = IS_OVER.test(result.text.slice(0, 4_096))
  for (const edit of call.edits) watched.stubs.edited(edit, id, call.n, isOver)
}

const IS_OVER = /^The file .{1,4000} has been updated\b|\boverwr(?:ote|itten)\b/i

function ranLine(watched: Watched, id: string, { run, line = '', n }: Waiting, result: Answered): void {
  const steps = stepsOf(line)
  const last = steps.lastIndexOf('tests')
  for (const [at, step] of steps.entries()) {
    if (step === 'tests' && at === last && run !== undefined) {
      const all = judged(run, result)
      for (const how of all) watched.tests.ran(how, id, n)
      watched.behind = all.every(({ went }) => went === 'unknown') ? run : undefined
    } else if (isDone(step, run !== undefined, result))
      step === 'aside' ? watched.tests.putAside() : watched.tests.takeBack()
  }
}

/** Where tests are run too, the line may have failed by them. */
const isDone = (step: Step, hasTests: boolean, { ok, text }: Answered): boolean =>
  step !== 'tests' &&
  (ok !== false || hasTests) &&
  !(step === 'aside' ? /No local changes to save/ : /No stash entries found/).test(text.slice(0, 4_096))

const FAILS = /^(?:fail(?:s|ed|ing|ure)?|error(?:s|ed)?|red|broken|✗|❌)\b|^(?:✗|❌)/i

const failingChecks = (status: StatusMarker): readonly string[] =>
  status.checks
    .filter(({ result }) => FAILS.test(result.trim()))
    .map(({ name, result }) => `${name}: ${result}`)

type EvidenceOf = (n: number | null, call: string | null, quote: string | null) => Flag['evidence']

function stubFlags(watched: Watched | undefined, status: StatusMarker, evidenceOf: EvidenceOf): Flag[] {
  const left = watched?.stubs.all ?? []
  if (left.length <= status.stubs) return []
  const shown = left.slice(0, MOST_STUB_FLAGS)
  return shown.map(({ path, row, line, call, n }, index) => {
    const more = index === shown.length - 1 ? left.length - shown.length : 0
    const place = row > 0 ? `${path}:${row}` : path
    return {
      kind: 'stubs',
      says: short(
        `Says functional with ${status.stubs} stubs, and left one in ${place}${more > 0 ? `, and ${more} more` : ''}.`,
      ),
      evidence: evidenceOf(n, call, line),
    }
  })
}
