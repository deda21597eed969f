import { randomUUID } from 'node:crypto'
import type { ContributionRow } from '@panoptes/engine/store'
import type { SessionRef } from '@panoptes/schema'
import type { Contribution } from './aggregate.ts'
import { NAMELESS } from './evidence.ts'
import { fromRow, type SessionRecord } from './stored-contribution.ts'

interface Scope {
  /** The source of its sessions. */
  readonly source: string
  readonly sessions: Map<string, SessionRecord>
}

/** All known contributions, by scope. */
export class Contributions {
  readonly #scopes = new Map<string, Scope>()
  #version = 0

  /** Changes whenever the counts may change. */
  get version(): number {
    return this.#version
  }

  know(scope: string, source: string, rows: readonly ContributionRow[]): void {
    const entry = this.#scopes.get(scope) ?? { source, sessions: new Map<string, SessionRecord>() }
    this.#scopes.set(scope, entry)
    for (const row of rows) entry.sessions.set(row.id, ofAgent(fromRow(row), source))
    this.#version += 1
  }

  /** Returns the contributions of a scope; undefined until its stored rows are loaded. */
  of(scope: string): ReadonlyMap<string, SessionRecord> | undefined {
    return this.#scopes.get(scope)?.sessions
  }

  set(scope: string, id: string, record: SessionRecord): void {
    const entry = this.#scopes.get(scope)
    entry?.sessions.set(id, ofAgent(record, entry.source))
    this.#version += 1
  }

  drop(scope: string): void {
    this.#scopes.delete(scope)
    this.#version += 1
  }

  /** The numbers stay under an anonymous id. */
  forget({ source, id }: SessionRef): void {
    for (const scope of this.#scopes.values()) {
      const record = scope.source === source ? scope.sessions.get(id) : undefined
      if (record === undefined) continue
      scope.sessions.delete(id)
      this.#version += 1
      if (record.contribution === undefined) continue
      const nameless = `${NAMELESS}${randomUUID()}`
      const { skipped: _places, ...numbers } = record.contribution
      scope.sessions.set(nameless, {
        fingerprint: '',
        contribution: { ...numbers, session_id: nameless, title: '' },
      })
    }
  }

  /** Returns the contributions that count. */
  counted(scopes: readonly string[]): Contribution[] {
    const counted: Contribution[] = []
    for (const scope of scopes)
      for (const { contribution } of this.#scopes.get(scope)?.sessions.values() ?? [])
        if (contribution) counted.push(contribution)
    return counted
  }
}

const ofAgent = ({ contribution, ...rest }: SessionRecord, agent: string): SessionRecord => ({
  ...rest,
  contribution: contribution && { ...contribution, agent },
})
