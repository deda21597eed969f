import { redactText } from '@panoptes/engine/redact'
import type { Flag, Message, StatusMarker } from '@panoptes/schema'
import { commandOf } from '../ran/command.ts'
import { type Edit, editsOf } from '../ran/edits.ts'
import { judged } from '../ran/judged.ts'
import { type TestRun, testRunOf } from '../ran/test-run.ts'
import { deedOf } from '../ran/tools.ts'
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
const MOST_QUOTE = 160

interface Waiting {
  readonly n: number
  readonly run: TestRun | undefined
  readonly line: string | undefined
  readonly edits: readonly Edit[]
  readonly size: number
}

interface Watched {
  readonly tests: LastTests
  readonly stubs: LeftStubs
  readonly waiting: Map<string, Waiting>
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
            watched = { tests: new LastTests(), stubs: new LeftStubs(), waiting: new Map(), size: 0 }
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

function waitingFor(tool: string, input: unknown, n: number): Waiting | undefined {
  const deed = deedOf(tool)
  if (deed === 'run') {
    const line = commandOf(input)
    return line === undefined
      ? undefined
      : { n, run: testRunOf(line), line: line.slice(0, 65_536), edits: [], size: line.length }
  }
  const edits = editsOf(tool, input)
  const size = edits.reduce((sum, { before = '', after }) => sum + before.length + after.length, 0)
  return edits.length === 0 ? undefined : { n, run: undefined, line: undefined, edits, size }
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
  if (call.run !== undefined) watched.tests.ran(call.run, judged(call.run, result), id, call.n)
  if (call.line !== undefined) watched.stubs.ran(call.line)
  if (result.ok === false) return
  for (const edit of call.edits) watched.stubs.edited(edit, id, call.n)
}

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

function short(text: string): string {
  const clean = redactText(text.slice(0, 4 * MOST_QUOTE)).text
  return clean.length <= MOST_QUOTE ? clean : `${clean.slice(0, MOST_QUOTE - 1)}…`
}
