import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Session, SessionAgent } from '@panoptes/schema'
import { Gathered } from './gathered.ts'
import type { IndexChange, IndexedMessage } from './port.ts'
import { MOST_MESSAGES } from './schema.ts'
import { spentOf } from './spent.ts'
import { indexText } from './words.ts'

interface Open {
  readonly number: number
  readonly gathered: Gathered
}

/** Writes changes into the index's tables. */
export class Changes {
  readonly #db: DatabaseSync
  readonly #open = new Map<string, Open>()
  readonly #known: StatementSync
  readonly #begin: StatementSync
  readonly #message: StatementSync
  readonly #words: StatementSync
  readonly #agent: StatementSync
  readonly #agentSpent: StatementSync
  readonly #tool: StatementSync
  readonly #end: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#known = db.prepare('SELECT number FROM sessions WHERE source = ? AND id = ?')
    this.#begin = db.prepare('INSERT INTO sessions (source, id, place) VALUES (?, ?, ?)')
    this.#message = db.prepare(
      'INSERT INTO messages (number, id, agent, role, ts, state) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#words = db.prepare('INSERT INTO words (rowid, text, tools) VALUES (?, ?, ?)')
    this.#agent = db.prepare('INSERT OR REPLACE INTO agents (session, id, doc) VALUES (?, ?, ?)')
    this.#agentSpent = db.prepare('UPDATE agents SET messages = ?, spent = ? WHERE session = ? AND id = ?')
    this.#tool = db.prepare('INSERT OR REPLACE INTO tools VALUES (?, ?, ?)')
    this.#end = db.prepare(
      `UPDATE sessions SET fingerprint = ?, project = ?, model = ?, last_at = ?, messages = ?, tool_calls = ?, errors = ?,
         cost_micro_usd = ?, doc = ? WHERE number = ?`,
    )
  }

  /** All of them or none. */
  write(changes: readonly IndexChange[]): void {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      for (const change of changes) this.#one(change)
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#open.clear()
      this.#db.exec('ROLLBACK')
      throw error
    }
  }

  #one(change: IndexChange): void {
    switch (change.type) {
      case 'begin':
        this.#drop(change.source, change.id)
        this.#open.set(nameOf(change.source, change.id), {
          number: Number(this.#begin.run(change.source, change.id, change.place).lastInsertRowid),
          gathered: new Gathered(),
        })
        return
      case 'agent':
        this.#put(this.#of(change), change.agent)
        return
      case 'messages':
        this.#add(this.#of(change), change.messages)
        return
      case 'end':
        this.#close(this.#of(change.session), change.session)
        this.#open.delete(nameOf(change.session.source, change.session.id))
        return
      case 'drop':
        this.#drop(change.source, change.id)
    }
  }

  #of({ source, id }: { readonly source: string; readonly id: string }): Open {
    const open = this.#open.get(nameOf(source, id))
    if (open === undefined) throw new Error(`the session ${source} ${id} was not begun`)
    return open
  }

  #put({ number }: Open, agent: SessionAgent): void {
    this.#agent.run(number, agent.id, JSON.stringify(agent))
  }

  #add({ number, gathered }: Open, messages: readonly IndexedMessage[]): void {
    for (const message of messages) {
      const { id, agent_id, role, ts, state, text, tools } = message
      // A session of more messages than there are numbers is not known by the rest.
      if (gathered.messages < MOST_MESSAGES) {
        const place = number * MOST_MESSAGES + gathered.messages
        this.#message.run(place, id, agent_id, role, ts, state)
        if (text !== '' || tools.length > 0) this.#words.run(place, indexText(text), tools.join(' '))
      }
      gathered.add(message)
    }
  }

  #close({ number, gathered }: Open, session: Session): void {
    const { messages, tool_calls, errors, tools } = gathered
    const spent = spentOf(session, gathered.spent)
    for (const [id, agent] of gathered.agents) {
      // What a source says of the whole session is its only agent's.
      const own = gathered.agents.size === 1 ? spent : agent.spent
      this.#agentSpent.run(agent.messages, JSON.stringify(own), number, id)
    }
    for (const [tool, calls] of tools) this.#tool.run(number, tool, calls)
    const doc = { ...session, messages, tool_calls, errors, spent, activity: gathered.activity() }
    this.#end.run(
      session.fingerprint,
      session.project,
      session.model,
      session.last_at,
      messages,
      tool_calls,
      errors,
      spent.cost_micro_usd,
      JSON.stringify(doc),
      number,
    )
  }

  #drop(source: string, id: string): void {
    this.#open.delete(nameOf(source, id))
    const row = this.#known.get(source, id)
    if (row === undefined) return
    const number = Number(row.number)
    const [first, end] = [number * MOST_MESSAGES, (number + 1) * MOST_MESSAGES]
    this.#db
      .prepare(
        'DELETE FROM words WHERE rowid IN (SELECT number FROM messages WHERE number >= ? AND number < ?)',
      )
      .run(first, end)
    this.#db.prepare('DELETE FROM messages WHERE number >= ? AND number < ?').run(first, end)
    for (const table of ['agents', 'tools'])
      this.#db.prepare(`DELETE FROM ${table} WHERE session = ?`).run(number)
    this.#db.prepare('DELETE FROM sessions WHERE number = ?').run(number)
  }
}

const nameOf = (source: string, id: string): string => `${source}\n${id}`
