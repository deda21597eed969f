import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Message, Session, UnreadPart } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { toFailure } from '../failures.ts'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import { jsonLinesIn } from '../json-lines.ts'
import type { Listed, ListRecord, SessionRecord } from '../port.ts'
import { promptTitle } from '../title.ts'
import { MAIN } from './agents.ts'

const CHUNK = 262_144
const NEWLINE = 10
/** This many bytes before the last position must be unchanged for the file to count as grown. */
const EDGE = 1_024
/** A session reports this many broken lines one by one. */
const MOST_UNREAD = 100
/** O_NONBLOCK avoids blocking on a pipe that stands in the place of the file. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Where the prompts of a session stand in the file. The texts stay there, because there may be very many. */
interface Entry {
  /** The first byte and the end of each run of lines, in turn. */
  readonly runs: number[]
  prompts: number
  /** Identifies the prompts. */
  digest: string
  /** False while there are only commands to the client itself. */
  isConversation: boolean
  /** Broken lines among those of the session, and how many more there are. */
  readonly unread: UnreadPart[]
  unreadMore: number
}

interface Prompt {
  readonly session: string
  readonly ts: number | null
  readonly cwd: string | null
  readonly text: string
}

/**
 * Reads the sessions of which only the prompts are left. Claude Code appends every prompt of every session to
 * one file, which it keeps when it deletes transcripts. The file is read once, and from then on only where it
 * grew.
 */
export class PromptHistory {
  readonly path: string
  #entries = new Map<string, Entry>()
  /** The end of the last whole line that was read, and the number of lines up to there. */
  #position = 0
  #lines = 0
  /** The bytes before the position. */
  #edge: Buffer = Buffer.alloc(0)
  /** The state of the file when it was last read to its end. */
  #mark = ''
  #lastSession: string | undefined
  /** Broken lines before the first session. */
  #unowned: UnreadPart[] = []
  /** A session whose last line has no line end, and what was known of it before that line. */
  #unended: { readonly session: string; readonly before: Entry | undefined } | undefined
  #updating: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  /** Lists the sessions with prompts, except those that are known otherwise. */
  async *list(isKnown: (id: string) => boolean, signal?: AbortSignal): AsyncGenerator<ListRecord> {
    try {
      await this.#update(signal)
    } catch (error) {
      const problem = toFailure(error, this.path)
      if (problem.code !== 'not_found') yield { kind: 'failed', failure: problem }
      return
    }
    for (const [id, { digest, isConversation }] of [...this.#entries]) {
      if (signal?.aborted) return
      if (isConversation && !isKnown(id))
        yield { kind: 'listed', id, fingerprint: `prompts ${digest}`, place: this.path, promptsOnly: true }
    }
  }

  async *read(listed: Listed, signal?: AbortSignal): AsyncGenerator<SessionRecord> {
    try {
      const found = await this.#find(listed.id, signal)
      if (found === undefined) {
        const problem = `${this.path} has no prompts of the session ${listed.id} any more.`
        yield { kind: 'failed', failure: failure('not_found', problem) }
        return
      }
      const agent = { id: MAIN, parent_id: null, subagent_type: null, description: null, tool_use_id: null }
      yield { kind: 'agent', agent }
      const { prompts, unread } = found
      for (const prompt of prompts) yield { kind: 'message', message: toMessage(prompt) }
      for (const part of unread) yield { kind: 'skipped', ...part }
      if (!signal?.aborted) yield { kind: 'session', session: toSession(listed, prompts) }
    } catch (error) {
      yield { kind: 'failed', failure: toFailure(error, this.path) }
    }
  }

  /** Finds messages of a session by their ids. */
  async find({ id }: Listed, ids: readonly string[]): Promise<readonly Message[]> {
    const found = await this.#find(id).catch(() => undefined)
    return found?.prompts.map(toMessage).filter((message) => ids.includes(message.id)) ?? []
  }

  /** Returns the prompts of a session in order of time, each once. */
  async #find(
    id: string,
    signal?: AbortSignal,
  ): Promise<{ readonly prompts: readonly Prompt[]; readonly unread: readonly UnreadPart[] } | undefined> {
    // The file may be replaced after it was looked at. Then the runs are somewhere else.
    for (const isAgain of [false, true]) {
      await this.#update(signal, isAgain)
      const entry = this.#entries.get(id)
      if (entry === undefined) return undefined
      const expected = entry.prompts
      const prompts = await this.#readRuns(id, [...entry.runs], signal)
      if (prompts.length >= expected || signal?.aborted)
        return { prompts: ordered(prompts), unread: unreadOf(entry, this.path) }
    }
    throw new Error('it changed meanwhile')
  }

  async #readRuns(id: string, runs: readonly number[], signal?: AbortSignal): Promise<readonly Prompt[]> {
    const prompts: Prompt[] = []
    const handle = await open(this.path, FLAGS)
    try {
      for (let at = 0; at < runs.length; at += 2)
        for await (const each of jsonLinesIn(chunksIn(handle, runs[at] ?? 0, runs[at + 1] ?? 0), signal)) {
          const prompt = 'value' in each ? toPrompt(each.value) : undefined
          if (prompt?.session === id) prompts.push(prompt)
        }
    } finally {
      await handle.close()
    }
    return prompts
  }

  /** Only one update runs at a time. */
  #update(signal?: AbortSignal, isFromStart = false): Promise<void> {
    const update = this.#updating.then(() => {
      if (isFromStart) this.#restart()
      return this.#readOn(signal)
    })
    this.#updating = update.catch(() => this.#restart())
    return update
  }

  async #readOn(signal?: AbortSignal): Promise<void> {
    const handle = await open(this.path, FLAGS)
    try {
      const found = await handle.stat()
      const mark = `${found.ino} ${found.size} ${found.mtimeMs}`
      if (mark === this.#mark) return
      if (!found.isFile()) throw new Error('it is not a file')
      if (found.size <= this.#position || !(await this.#isGrown(handle))) this.#restart()
      await this.#readFrom(handle, found.size, signal)
      if (signal?.aborted !== true) this.#mark = mark
    } finally {
      await handle.close()
    }
  }

  /** Checks that what was read last still stands there. */
  async #isGrown(handle: FileHandle): Promise<boolean> {
    const edge = await readEdge(handle, this.#position)
    return edge.equals(this.#edge)
  }

  async #readFrom(handle: FileHandle, size: number, signal?: AbortSignal): Promise<void> {
    const [base, lines] = [this.#position, this.#lines]
    this.#dropUnended()
    let start = base
    // The position follows whole chunks, so that it is right even when the signal stops the read.
    const follow = (bytes: Buffer, at: number) => {
      const end = bytes.lastIndexOf(NEWLINE)
      if (end >= 0) this.#position = at + end + 1
      for (let next = bytes.indexOf(NEWLINE); next >= 0; next = bytes.indexOf(NEWLINE, next + 1))
        this.#lines += 1
    }
    for await (const each of jsonLinesIn(chunksIn(handle, base, size, follow), signal)) {
      if ('problem' in each) {
        this.#skip({ place: `${this.path}:${lines + each.line}`, reason: each.problem })
        continue
      }
      const end = base + each.end
      const prompt = toPrompt(each.value)
      if (prompt !== undefined) this.#add(prompt, start, end, end > this.#position)
      start = end
    }
    this.#edge = await readEdge(handle, this.#position)
  }

  #add(prompt: Prompt, start: number, end: number, isUnended: boolean): void {
    const { session, ts, cwd, text } = prompt
    const before = this.#entries.get(session)
    if (isUnended) this.#unended = { session, before: before && structuredClone(before) }
    const entry = before ?? createEntry()
    this.#entries.set(session, entry)
    if (entry.runs.at(-1) === start) entry.runs[entry.runs.length - 1] = end
    else entry.runs.push(start, end)
    entry.prompts += 1
    entry.digest = hash('sha1', JSON.stringify([entry.digest, ts, cwd, text]), 'base64url')
    entry.isConversation ||= !isClientCommand(text)
    this.#lastSession = session
    for (const part of this.#unowned.splice(0)) this.#skip(part)
  }

  /** Assigns a broken line to the session of the line before it, which is usually the same. */
  #skip(part: UnreadPart): void {
    const entry = this.#lastSession === undefined ? undefined : this.#entries.get(this.#lastSession)
    const parts = entry?.unread ?? this.#unowned
    if (parts.length < MOST_UNREAD) parts.push(part)
    else if (entry) entry.unreadMore += 1
    if (entry) entry.digest = hash('sha1', `${entry.digest} ${part.place}`, 'base64url')
  }

  #dropUnended(): void {
    if (this.#unended === undefined) return
    const { session, before } = this.#unended
    if (before) this.#entries.set(session, before)
    else this.#entries.delete(session)
    this.#unended = undefined
  }

  #restart(): void {
    this.#entries = new Map()
    this.#position = 0
    this.#lines = 0
    this.#edge = Buffer.alloc(0)
    this.#mark = ''
    this.#lastSession = undefined
    this.#unowned = []
    this.#unended = undefined
  }
}

const createEntry = (): Entry => ({
  runs: [],
  prompts: 0,
  digest: '',
  isConversation: false,
  unread: [],
  unreadMore: 0,
})

/** Reads a part of a file. It ends early where the file does. */
async function* chunksIn(
  handle: FileHandle,
  from: number,
  to: number,
  follow?: (bytes: Buffer, at: number) => void,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(1, to - from)))
  for (let at = from; at < to; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) return
    const bytes = buffer.subarray(0, bytesRead)
    follow?.(bytes, at)
    yield bytes
    at += bytesRead
  }
}

async function readEdge(handle: FileHandle, end: number): Promise<Buffer> {
  const edge = Buffer.alloc(Math.min(EDGE, end))
  const { bytesRead } = await handle.read(edge, 0, edge.length, end - edge.length)
  return edge.subarray(0, bytesRead)
}

const unreadOf = ({ unread, unreadMore }: Entry, path: string): readonly UnreadPart[] =>
  unreadMore === 0
    ? unread
    : [...unread, { place: path, reason: `${unreadMore} more lines are not JSON objects` }]

/** Undefined for lines of older clients, which do not name their session. */
function toPrompt(row: Fields): Prompt | undefined {
  const session = toText(row.sessionId)
  const text = withPastedTexts(toText(row.display) ?? '', pastedTexts(row.pastedContents))
  if (session === null || text.trim() === '') return undefined
  return { session, ts: toTime(row.timestamp), cwd: toText(row.project), text }
}

/** The pasted texts that stand in the line itself, by number. The client keeps others elsewhere, by their hash. */
function pastedTexts(value: unknown): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [key, each] of Object.entries(Array.isArray(value) ? value : toFields(value))) {
    const { id, content, type } = toFields(each)
    const text = type === 'image' ? null : toText(content)
    if (text !== null) texts.set(typeof id === 'number' ? String(id) : key, text)
  }
  return texts
}

/** What the client shows in place of a pasted text. */
const PASTED = /\[(?:Pasted text|\.\.\.Truncated text) #(\d+)(?: \+\d+ lines)?\.*\]/g

function withPastedTexts(display: string, texts: Map<string, string>): string {
  const shown = new Set<string>()
  const text = display.replace(PASTED, (mark, number: string) => {
    shown.add(number)
    return texts.get(number) ?? mark
  })
  return [text, ...[...texts].filter(([number]) => !shown.has(number)).map(([, each]) => each)]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** A prompt may be recorded twice. A prompt without a time stays behind the one before it. */
function ordered(prompts: readonly Prompt[]): readonly Prompt[] {
  const once = new Map(prompts.map((prompt) => [`${prompt.ts} ${prompt.text}`, prompt]))
  let last = Number.NEGATIVE_INFINITY
  return [...once.values()]
    .map((prompt) => {
      last = prompt.ts ?? last
      return { prompt, at: last }
    })
    .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
    .map(({ prompt }) => prompt)
}

const toMessage = ({ session, ts, text }: Prompt): Message => ({
  id: `prompt-${hash('sha1', JSON.stringify([session, ts, text]), 'hex').slice(0, 24)}`,
  session_id: session,
  agent_id: MAIN,
  role: 'user',
  ts,
  model: null,
  content: [{ type: 'text', text }],
  usage: null,
  state: 'active',
  hidden: false,
})

function toSession({ id, fingerprint }: Listed, prompts: readonly Prompt[]): Session {
  const cwd = prompts.find((prompt) => prompt.cwd !== null)?.cwd ?? null
  const times = prompts.flatMap(({ ts }) => (ts === null ? [] : [ts]))
  const first = prompts.find(({ text }) => !isClientCommand(text)) ?? prompts[0]
  return {
    source: 'claude-code',
    id,
    parent_id: null,
    lineage: 'root',
    title: first === undefined ? null : promptTitle(first.text),
    project: cwd === null ? null : basename(cwd) || cwd,
    cwd,
    git_branch: null,
    model: null,
    started_at: times[0] ?? null,
    last_at: times.at(-1) ?? null,
    ended_at: null,
    fingerprint,
    prompts_only: true,
  }
}

/**
 * Commands that the client answers itself. A session with nothing else never had a transcript: typing `/resume`
 * right after the start names a session that ends there.
 */
const CLIENT_COMMANDS = new Set([
  ...[
    'add-dir',
    'agents',
    'bug',
    'clear',
    'config',
    'context',
    'continue',
    'cost',
    'doctor',
    'exit',
    'export',
  ],
  ...[
    'feedback',
    'help',
    'hooks',
    'ide',
    'login',
    'logout',
    'mcp',
    'memory',
    'model',
    'permissions',
    'plugin',
  ],
  ...[
    'privacy-settings',
    'quit',
    'release-notes',
    'rename',
    'resume',
    'rewind',
    'settings',
    'status',
    'tasks',
  ],
  ...['terminal-setup', 'theme', 'upgrade', 'usage', 'vim'],
])

function isClientCommand(text: string): boolean {
  const command = text.trim()
  if (command === 'exit' || command === 'quit') return true
  const [, name] = /^\/([\w-]+)(?:\s|$)/.exec(command) ?? []
  return name !== undefined && CLIENT_COMMANDS.has(name)
}
