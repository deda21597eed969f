import type { Flag, Message, StatusMarker } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { commandsIn, commandText } from '../tool-calls/command.ts'
import { readOutput } from '../tool-calls/command-output.ts'
import { type Edit, parseEdits } from '../tool-calls/edits.ts'
import { short } from '../tool-calls/quote.ts'
import type { Simple } from '../tool-calls/shell.ts'
import { judgeTestRun } from '../tool-calls/test-outcome.ts'
import { findFamily, parseTestRun, type TestRun } from '../tool-calls/test-run.ts'
import { classifyTool } from '../tool-calls/tools.ts'
import { LastTests } from './last-tests.ts'
import { LeftStubs } from './remaining-stubs.ts'

/** Watches agents in order to judge whether the transcript supports a marker. */
export interface FlagWatch {
  readonly saw: (message: Message, n: number) => void
  /**
   * Returns what contradicts a marker, by everything seen so far. Call it after the message with
   * the marker was added.
   */
  readonly findFlags: (agentId: string, status: StatusMarker) => Flag[]
}

/** The maximum number of agents per session; later ones are not watched. */
const MOST_AGENTS = 10_000
/** Limits of an agent's waiting calls and their characters; the oldest are dropped. */
const MOST_WAITING = 256
const MOST_WAITING_SIZE = 16_777_216
/** The maximum number of stub flags; the last one states how many more there are. */
const MOST_STUB_FLAGS = 5

interface Waiting {
  readonly n: number
  readonly run: TestRun | undefined
  /** Whether it polls an earlier background run. */
  readonly isLook: boolean
  readonly line: string | undefined
  /** The path or command it shows. */
  readonly place: string | undefined
  readonly edits: readonly Edit[]
  readonly size: number
}

interface Watched {
  readonly tests: LastTests
  readonly stubs: LeftStubs
  readonly waiting: Map<string, Waiting>
  /** Tests running in the background. */
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
          if (call !== undefined) recordAnswer(watched, block.id, call, block)
        }
      }
    },
    findFlags: (agentId, status) => {
      if (status.shipped !== 'functional') return []
      const toEvidence = (n: number | null, call: string | null, quote: string | null) => ({
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
            says: short(`Reports functional, but ${check} in the same marker.`),
            evidence: toEvidence(null, null, check),
          }),
        ),
        ...(watched?.tests.failing ?? []).map(
          (run): Flag => ({
            kind: 'failing_tests',
            says: `Reports functional, but its last run of ${run.what} failed${run.failed === null ? '' : `: ${run.failed} failed`}.`,
            evidence: toEvidence(run.n, run.call, run.line),
          }),
        ),
        ...stubFlags(watched, status, toEvidence),
      ]
    },
  }
}

const NO_CALL = { run: undefined, isLook: false, line: undefined, place: undefined, edits: [], size: 0 }

function waitingFor(tool: string, input: unknown, n: number): Waiting | undefined {
  const deed = classifyTool(tool)
  if (deed === 'process') return { ...NO_CALL, n, isLook: true }
  if (deed === 'read') return { ...NO_CALL, n, place: readPath(input) }
  if (deed === 'run') {
    const line = commandText(input)?.slice(0, 65_536)
    if (line === undefined) return undefined
    return { ...NO_CALL, n, run: parseTestRun(line), line, place: line.slice(0, 4_096), size: line.length }
  }
  const edits = parseEdits(tool, input)
  const size = edits.reduce((sum, { before = '', after }) => sum + before.length + after.length, 0)
  return edits.length === 0 ? undefined : { ...NO_CALL, n, edits, size }
}

function readPath(input: unknown): string {
  const { file_path, filePath, path } = (input ?? {}) as Readonly<Record<string, unknown>>
  const inputPath = file_path ?? filePath ?? path
  return typeof inputPath === 'string' ? inputPath.slice(0, 4_096) : ''
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

function recordAnswer(watched: Watched, id: string, call: Waiting, result: Answered): void {
  watched.waiting.delete(id)
  watched.size -= call.size
  if (call.line !== undefined) ranLine(watched, id, call, result)
  else if (call.isLook && watched.behind !== undefined) {
    // Only a summary shows that a run is over.
    for (const how of judgeTestRun(watched.behind, { ok: null, text: result.text }))
      watched.tests.ran(how, id, call.n)
  }
  if (call.line !== undefined) watched.stubs.ran(call.line)
  if (call.place !== undefined && call.run === undefined)
    watched.stubs.saw(call.place, readOutput(result.text))
  if (result.ok === false) return
  const isOver = IS_OVER.test(result.text.slice(0, 4_096))
  for (const edit of call.edits) watched.stubs.edited(edit, id, call.n, isOver)
}

const IS_OVER = /^The file .{1,4000} has been updated\b|\boverwr(?:ote|itten)\b/i

function ranLine(watched: Watched, id: string, { run, line = '', n }: Waiting, result: Answered): void {
  const steps = parseSteps(line)
  const last = steps.lastIndexOf('tests')
  for (const [at, step] of steps.entries()) {
    if (step === 'tests' && at === last && run !== undefined) {
      const all = judgeTestRun(run, result)
      for (const how of all) watched.tests.ran(how, id, n)
      watched.behind = all.every(({ went }) => went === 'unknown') ? run : undefined
    } else if (isDone(step, run !== undefined, result))
      step === 'aside' ? watched.tests.putAside() : watched.tests.takeBack()
  }
}

/** If the line also runs tests, the failure may be theirs. */
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

function stubFlags(watched: Watched | undefined, status: StatusMarker, toEvidence: EvidenceOf): Flag[] {
  const left = watched?.stubs.all ?? []
  if (left.length <= (status.stubs ?? 0)) return []
  const claimText = status.stubs === null ? 'functional' : `functional with ${plural(status.stubs, 'stub')}`
  const shown = left.slice(0, MOST_STUB_FLAGS)
  return shown.map(({ path, row, line, call, n }, index) => {
    const more = index === shown.length - 1 ? left.length - shown.length : 0
    const place = row > 0 ? `${path}:${row}` : path
    return {
      kind: 'stubs',
      says: short(`Reports ${claimText}, but left one in ${place}${more > 0 ? `, and ${more} more` : ''}.`),
      evidence: toEvidence(n, call, line),
    }
  })
}

/** How a command line handles tests and the work under test, in order. */
type Step = 'aside' | 'tests' | 'back'

/** Tests between two checkouts in one line test earlier work, so they do not count. */
function parseSteps(line: string): readonly Step[] {
  const moves = commandsIn(line).flatMap(parseMove)
  const last = moves.lastIndexOf('tests')
  const isElsewhere =
    moves.slice(0, last).includes('tree') ||
    (moves.slice(0, last).includes('other') && moves.slice(last + 1).includes('other'))
  return moves.filter(
    (move) => move !== 'tree' && move !== 'other' && !(isElsewhere && move === 'tests'),
  ) as Step[]
}

/** `other` means files of another commit, `tree` a separate checkout. */
function parseMove(words: Simple): readonly (Step | 'other' | 'tree')[] {
  if (findFamily(words) !== undefined) return ['tests']
  const [name, ...rest] = words
  if (name !== 'git') return []
  const at = rest.findIndex((word, place) => !word.startsWith('-') && !/^-[cC]$/.test(rest[place - 1] ?? ''))
  const [what, how = ''] = rest.slice(Math.max(0, at))
  if (what === 'stash') {
    if (/^(?:pop|apply|branch)$/.test(how)) return ['back']
    return /^(?:push|save|-.*|)$/.test(how) ? ['aside'] : []
  }
  if (what === 'worktree') return how === 'add' ? ['tree'] : []
  if (what !== 'checkout' && what !== 'switch' && what !== 'restore') return []
  return /^(?:-[bBcC]|--orphan|--create)$/.test(how) ? [] : ['other']
}
