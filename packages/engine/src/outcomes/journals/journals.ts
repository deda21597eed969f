import { join } from 'node:path'
import { fileFailure } from '@panoptes/engine/home'
import type { Accounts, Marks } from '@panoptes/engine/store'
import type { Account, Failure, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { lineKey, type WantedLine, wantedLines } from './expected-lines.ts'
import { JournalFile } from './file.ts'
import { forgetLines } from './forget.ts'
import { JournalContents } from './journal-contents.ts'
import { agentOfRow } from './rows.ts'

export interface JournalsOptions {
  readonly folder: string
  readonly accounts: Accounts
  /** Values stored beside the accounts. */
  readonly marks: (names: readonly string[]) => Promise<Result<Marks>>
  readonly mark: (marks: Marks) => Promise<Result<unknown>>
  /** Sessions of other sources with the same id as one of these. */
  readonly namesakes: (sessions: readonly SessionRef[]) => Promise<Result<readonly SessionRef[]>>
  readonly now?: (() => number) | undefined
  /** The minimum time between two rewrites of the file, in milliseconds. */
  readonly restMs?: number | undefined
}

/**
 * Whether the journals contain everything that is stored; unless they are marked clean, they are
 * compared.
 */
const MARK = 'review.journals'
const OWING: Marks = { [MARK]: 'owing' }
const CLEAN: Marks = { [MARK]: 'clean' }

const AT_ONCE = 64
const MOST_UNWRITTEN = 10_000
/**
 * The file is rewritten for changed rows, but not more often than this and not most of the time.
 */
const REST_MS = 5_000
const REST = 50

/**
 * The lines for other programs, each exactly once in its file. An account is committed together
 * with a mark that lines are pending, and written lines are recorded afterwards. If the mark
 * remains, the files are compared with the stored accounts.
 */
export class Journals {
  readonly #options: JournalsOptions
  readonly #agents: JournalFile
  readonly #claims: JournalFile
  readonly #now: () => number
  readonly #restMs: number
  /** Rows whose line in the file is outdated. */
  readonly #changed = new Map<string, WantedLine>()
  readonly #unwritten = new Map<string, SessionRef>()
  #state: 'unknown' | 'clean' | 'owing' = 'unknown'
  #found: JournalContents | undefined
  #sweep = false
  #next = 0
  #problem: Failure | undefined

  constructor(options: JournalsOptions) {
    this.#options = options
    this.#agents = new JournalFile(join(options.folder, 'agent-toolstats.jsonl'))
    this.#claims = new JournalFile(join(options.folder, 'numeric-claims.jsonl'))
    this.#now = options.now ?? Date.now
    this.#restMs = options.restMs ?? REST_MS
  }

  /** Returns why lines are waiting to be written. */
  get problem(): Failure | undefined {
    return this.#problem
  }

  /** Returns the milliseconds until waiting rows may be written; null if none wait. */
  waitMs(): number | null {
    if (this.#problem) return this.#restMs
    return this.#changed.size === 0 ? null : Math.max(0, this.#next - this.#now())
  }

  /** Returns the marks to commit together with accounts whose lines are about to be written. */
  async owing(): Promise<Marks> {
    await this.#know()
    return this.#state === 'owing' ? {} : OWING
  }

  /** Call it after the accounts were committed. */
  async write(accounts: readonly Account[]): Promise<void> {
    this.#state = 'owing'
    await this.#trying(accounts, () => this.#write(accounts))
  }

  /** Writes waiting lines as soon as allowed, or immediately. */
  async settle(hurry = false): Promise<void> {
    await this.#know()
    if (this.#state === 'clean') return
    const isDue = () => this.#changed.size > 0 && (hurry || this.#now() >= this.#next)
    await this.#trying(
      [],
      async () =>
        (this.#sweep ? await this.#sweepAll() : undefined) ??
        (await this.#writeUnwritten()) ??
        (isDue() ? this.#replace() : undefined),
    )
    if (this.#problem || this.#sweep || this.#unwritten.size > 0 || this.#changed.size > 0) return
    const marked = await this.#options.mark(CLEAN)
    if (!marked.ok) return
    this.#state = 'clean'
    this.#found = undefined
  }

  /** Removes the lines of these sessions. */
  async forget(sessions: readonly SessionRef[]): Promise<Result<number>> {
    const names = new Set(sessions.map(({ source, id }) => JSON.stringify([source, id])))
    for (const [key, { source, session_id }] of this.#changed)
      if (names.has(JSON.stringify([source, session_id]))) this.#changed.delete(key)
    for (const name of names) this.#unwritten.delete(name)
    const { accounts, namesakes } = this.#options
    try {
      return await forgetLines({ agents: this.#agents, claims: this.#claims, sessions, accounts, namesakes })
    } catch (error) {
      return fileFailure(error, this.#options.folder, 'write')
    }
  }

  async #know(): Promise<void> {
    if (this.#state !== 'unknown') return
    const marks = await this.#options.marks([MARK])
    if (marks.ok && marks.value[MARK] === CLEAN[MARK]) {
      this.#state = 'clean'
      return
    }
    if (!marks.ok) return
    this.#state = marks.value[MARK] === OWING[MARK] ? 'owing' : 'unknown'
    this.#sweep = true
    if (this.#state === 'unknown') {
      // The files may already contain lines of another event store.
      const marked = await this.#options.mark(OWING)
      if (marked.ok) this.#state = 'owing'
    }
  }

  async #trying(accounts: readonly Account[], work: () => Promise<Failure | undefined>): Promise<void> {
    let failed: Failure | undefined
    try {
      failed = await work()
    } catch (error) {
      failed = fileFailure(error, this.#options.folder, 'write')
    }
    this.#problem = failed
    if (failed === undefined) return
    for (const { source, session_id } of accounts) {
      if (this.#unwritten.size >= MOST_UNWRITTEN) this.#sweep = true
      else this.#unwritten.set(JSON.stringify([source, session_id]), { source, id: session_id })
    }
    if (this.#sweep) this.#unwritten.clear()
  }

  async #write(accounts: readonly Account[]): Promise<Failure | undefined> {
    const refs = accounts.map(({ source, session_id }) => ({ source, id: session_id }))
    const written = await this.#options.accounts.journaled(refs)
    if (!written.ok) return written
    // Until the files are compared, they may contain lines that are not recorded as written.
    if (this.#sweep) this.#found ??= await JournalContents.in(this.#agents, this.#claims)
    const writtenMarks = new Map(written.value.map((line) => [`${line.journal} ${lineKey(line)}`, line.mark]))
    const fresh: WantedLine[] = []
    const there: WantedLine[] = []
    for (const line of accounts.flatMap(wantedLines)) {
      const mark = writtenMarks.get(`${line.journal} ${lineKey(line)}`)
      const stands = mark ?? this.#found?.findMark(line)
      if (stands === undefined) fresh.push(line)
      else if (line.journal === 'agents' && stands !== line.mark) this.#changed.set(lineKey(line), line)
      else {
        if (line.journal === 'agents') this.#changed.delete(lineKey(line))
        if (mark === undefined) there.push(line)
      }
    }
    const noted = there.length > 0 ? await this.#note(there) : undefined
    return noted ?? this.#append(fresh)
  }

  async #append(lines: readonly WantedLine[]): Promise<Failure | undefined> {
    for (const [journal, file] of [
      ['agents', this.#agents],
      ['claims', this.#claims],
    ] as const) {
      const own = lines.filter((line) => line.journal === journal)
      if (own.length === 0) continue
      await file.append(own.map(({ text }) => text))
      const noted = await this.#note(own)
      if (noted) {
        // The lines were written but not recorded, so the files have to be compared.
        this.#sweep = true
        this.#found = undefined
        return noted
      }
    }
    return undefined
  }

  async #replace(): Promise<Failure | undefined> {
    const rows = [...this.#changed.values()]
    const began = performance.now()
    await replaceRows(this.#agents, rows)
    this.#next = this.#now() + Math.max(this.#restMs, REST * (performance.now() - began))
    const noted = await this.#note(rows)
    if (noted) return noted
    for (const row of rows)
      if (this.#changed.get(lineKey(row))?.mark === row.mark) this.#changed.delete(lineKey(row))
    return undefined
  }

  async #sweepAll(): Promise<Failure | undefined> {
    this.#found = await JournalContents.in(this.#agents, this.#claims)
    const sessions = await sessionsToWrite(this.#options.accounts)
    if (!sessions.ok) return sessions
    const failed = await this.#writeSessions(sessions.value)
    if (failed) return failed
    this.#sweep = false
    this.#found = undefined
    return undefined
  }

  async #writeUnwritten(): Promise<Failure | undefined> {
    const failed = await this.#writeSessions([...this.#unwritten.values()])
    if (!failed) this.#unwritten.clear()
    return failed
  }

  async #writeSessions(sessions: readonly SessionRef[]): Promise<Failure | undefined> {
    for (let at = 0; at < sessions.length; at += AT_ONCE) {
      const accounts: Account[] = []
      for (const session of sessions.slice(at, at + AT_ONCE)) {
        const account = await this.#options.accounts.get(session)
        if (!account.ok) return account
        if (account.value) accounts.push(account.value)
      }
      const failed = await this.#write(accounts)
      if (failed) return failed
    }
    return undefined
  }

  async #note(lines: readonly WantedLine[]): Promise<Failure | undefined> {
    const noted = await this.#options.accounts.journal(
      lines.map(({ journal, source, session_id, line, mark }) => ({
        journal,
        source,
        session_id,
        line,
        mark,
      })),
    )
    return noted.ok ? undefined : noted
  }
}

const PAGE = 1_000

/** Every session that has or should have a line in a journal. */
async function sessionsToWrite(
  accounts: Pick<Accounts, 'agents' | 'claims'>,
): Promise<Result<readonly SessionRef[]>> {
  const found = new Map<string, SessionRef>()
  for (const list of [accounts.agents.bind(accounts), accounts.claims.bind(accounts)]) {
    for (let offset = 0; ; offset += PAGE) {
      const page = await list({ limit: PAGE, offset })
      if (!page.ok) return page
      for (const { source, session_id } of page.value.rows)
        found.set(JSON.stringify([source, session_id]), { source, id: session_id })
      if (page.value.rows.length < PAGE) break
    }
  }
  return success([...found.values()])
}

const SESSION = /"session_id":"([^"\\]*)"/

/** Replaces the rows of the same agents, and appends those that somebody removed. */
async function replaceRows(file: JournalFile, rows: readonly WantedLine[]): Promise<void> {
  const sessions = new Set(rows.map(({ session_id }) => session_id))
  let left = new Map<string, WantedLine>()
  await file.rewrite(() => {
    left = new Map(rows.map((row) => [lineKey(row), row]))
    return (line) => {
      const session = SESSION.exec(line)?.[1]
      if (session !== undefined && !sessions.has(session)) return undefined
      const agent = agentOfRow(line)
      const key = agent && lineKey({ ...agent, line: agent.agent_id })
      const row = key === undefined ? undefined : left.get(key)
      if (key === undefined || row === undefined) return undefined
      left.delete(key)
      return row.text === line ? undefined : row.text
    }
  })
  await file.append([...left.values()].map(({ text }) => text))
}
