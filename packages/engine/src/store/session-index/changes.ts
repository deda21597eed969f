import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Session, SessionAgent } from '@panoptes/schema'
import { ArchiveWriter } from '../session-archive/sqlite.ts'
import { compressFold } from './fold-rows.ts'
import { PACK, type PackedMessage, packMessages } from './packed-messages.ts'
import type { Parts } from './parts.ts'
import type { IndexChange, IndexedMessage } from './port.ts'
import { indexText } from './query-parser.ts'
import { MOST_MESSAGES } from './schema.ts'
import { summarizeSession } from './session-summary.ts'
import { Gathered } from './session-totals.ts'

interface Open {
  readonly number: number
  readonly part: number
  readonly gathered: Gathered
  readonly agents: Map<string, SessionAgent>
  /** Messages that are not written yet. */
  pack: PackedMessage[]
}

/** Writes changes into the tables of the index. */
export class Changes {
  readonly #db: DatabaseSync
  readonly #parts: Parts
  readonly #open = new Map<string, Open>()
  readonly #archive: ArchiveWriter
  readonly #complete: StatementSync
  readonly #begun: StatementSync
  readonly #begin: StatementSync
  readonly #messages: StatementSync
  readonly #agent: StatementSync
  readonly #agentSpent: StatementSync
  readonly #tool: StatementSync
  readonly #model: StatementSync
  readonly #notAged: StatementSync
  readonly #end: StatementSync
  readonly #fold: StatementSync

  constructor(db: DatabaseSync, parts: Parts) {
    this.#db = db
    this.#parts = parts
    this.#archive = new ArchiveWriter(db)
    const found = 'SELECT number, part FROM sessions WHERE source = ? AND id = ? AND fingerprint'
    this.#complete = db.prepare(`${found} IS NOT NULL`)
    this.#begun = db.prepare(`${found} IS NULL`)
    this.#begin = db.prepare('INSERT INTO sessions (source, id, place, part) VALUES (?, ?, ?, ?)')
    this.#messages = db.prepare('INSERT INTO messages (number, doc) VALUES (?, ?)')
    this.#agent = db.prepare('INSERT OR REPLACE INTO agents (session, id, doc) VALUES (?, ?, ?)')
    this.#agentSpent = db.prepare('UPDATE agents SET messages = ?, spent = ? WHERE session = ? AND id = ?')
    this.#tool = db.prepare('INSERT OR REPLACE INTO tools VALUES (?, ?, ?, ?)')
    this.#model = db.prepare('INSERT INTO models VALUES (?, ?, ?, ?, ?, ?)')
    this.#notAged = db.prepare('DELETE FROM aged WHERE source = ? AND id = ?')
    this.#fold = db.prepare(
      `INSERT INTO folds (fold, source, id, version, listed, doc) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (fold, source, id) DO UPDATE SET version = excluded.version, listed = excluded.listed, doc = excluded.doc`,
    )
    this.#end = db.prepare(
      `UPDATE sessions SET fingerprint = ?, project = ?, model = ?, last_at = ?, messages = ?, tool_calls = ?, errors = ?,
         cost_micro_usd = ?, doc = ? WHERE number = ?`,
    )
  }

  write(changes: readonly IndexChange[]): void {
    for (const change of changes) this.#one(change)
  }

  /** Everything written since the last commit was rolled back. */
  rollBack(): void {
    this.#open.clear()
    this.#parts.forget()
  }

  #one(change: IndexChange): void {
    switch (change.type) {
      case 'begin':
        this.#leave(change.source, change.id)
        this.#start(change.source, change.id, change.place)
        if (change.own !== undefined) this.#archive.begin(change.source, change.id, change.place, change.own)
        return
      case 'agent':
        this.#put(this.#of(change), change.agent)
        return
      case 'messages':
        this.#add(this.#of(change), change.messages)
        return
      case 'chunk':
        this.#archive.add(change.source, change.id, change.chunk)
        return
      case 'gone':
        this.#archive.markGone(change.source, change.ids, change.at)
        return
      case 'end':
        if (change.archive) {
          const { session, kept } = change.archive
          this.#archive.end(session, [...this.#of(session).agents.values()], kept)
        }
        this.#close(this.#of(change.session), change.session)
        for (const { fold, version, listed, doc } of change.folds ?? [])
          this.#fold.run(
            ...[fold, change.session.source, change.session.id],
            ...[version, listed, compressFold(doc)],
          )
        this.#open.delete(sessionKey(change.session.source, change.session.id))
        return
      case 'leave':
        this.#leave(change.source, change.id)
        return
      case 'drop':
        this.#leave(change.source, change.id)
        this.#archive.drop(change.source, change.id)
        this.#dropComplete(change.source, change.id)
    }
  }

  #start(source: string, id: string, place: string): void {
    const part = this.#parts.next()
    const number = Number(this.#begin.run(source, id, place, part).lastInsertRowid)
    const open = { number, part, gathered: new Gathered(), agents: new Map(), pack: [] }
    this.#open.set(sessionKey(source, id), open)
  }

  #of({ source, id }: { readonly source: string; readonly id: string }): Open {
    const open = this.#open.get(sessionKey(source, id))
    if (open === undefined) throw new Error(`the session ${source} ${id} was not begun`)
    return open
  }

  #put({ number, agents }: Open, agent: SessionAgent): void {
    agents.set(agent.id, agent)
    this.#agent.run(number, agent.id, JSON.stringify(agent))
  }

  #add(open: Open, messages: readonly IndexedMessage[]): void {
    const { number, part, gathered } = open
    for (const message of messages) {
      // In a session with more messages than there are numbers, the rest cannot be searched.
      if (gathered.messages < MOST_MESSAGES) {
        const place = number * MOST_MESSAGES + gathered.messages
        const { text, tools } = message
        const words = typeof text === 'string' ? indexText(text) : text
        if (words.length > 0 || tools.length > 0) this.#parts.add(part, place, words, tools.join(' '))
        open.pack.push(message)
      }
      gathered.add(message)
      if (open.pack.length === PACK) this.#pack(open)
    }
  }

  #pack(open: Open): void {
    if (open.pack.length === 0) return
    const { number, gathered, pack } = open
    const first = Math.min(gathered.messages, MOST_MESSAGES) - pack.length
    this.#messages.run(number * MOST_MESSAGES + first, packMessages(pack))
    open.pack = []
  }

  #close(open: Open, session: Session): void {
    this.#pack(open)
    // The previous version of the session is shown until here.
    this.#dropComplete(session.source, session.id)
    const { number, part, gathered } = open
    const { spent, agents, models, doc } = summarizeSession(session, gathered)
    for (const [id, own] of agents) this.#agentSpent.run(own.messages, JSON.stringify(own.spent), number, id)
    for (const [tool, own] of gathered.tools) this.#tool.run(number, tool, own.calls, own.errors)
    for (const [model, own] of models)
      this.#model.run(number, model, own.messages, own.tool_calls, own.errors, JSON.stringify(own.spent))
    this.#end.run(
      session.fingerprint,
      session.project,
      session.model,
      session.last_at,
      gathered.messages,
      gathered.tool_calls,
      gathered.errors,
      spent.cost_micro_usd,
      JSON.stringify(doc),
      number,
    )
    this.#parts.ended(part, session.last_at)
  }

  #leave(source: string, id: string): void {
    this.#open.delete(sessionKey(source, id))
    this.#archive.leave(source, id)
    this.#dropRow(this.#begun.get(source, id))
  }

  #dropComplete(source: string, id: string): void {
    this.#notAged.run(source, id)
    this.#dropRow(this.#complete.get(source, id))
  }

  #dropRow(row: Record<string, unknown> | undefined): void {
    if (row === undefined) return
    const number = Number(row.number)
    const [first, end] = [number * MOST_MESSAGES, (number + 1) * MOST_MESSAGES]
    this.#db.prepare('DELETE FROM messages WHERE number >= ? AND number < ?').run(first, end)
    for (const table of ['agents', 'tools', 'models'])
      this.#db.prepare(`DELETE FROM ${table} WHERE session = ?`).run(number)
    this.#db.prepare('DELETE FROM sessions WHERE number = ?').run(number)
    this.#parts.drop(Number(row.part), first, end)
  }
}

export const sessionKey = (source: string, id: string): string => `${source}\n${id}`
