import { randomUUID } from 'node:crypto'
import type { ContributionRow } from '@panoptes/engine/ledger'
import type { SessionRef } from '@panoptes/schema'
import type { Contribution } from './aggregate.ts'
import { NAMELESS } from './evidence.ts'
import { type Kept, keptOf } from './kept.ts'

interface Scope {
  /** Which kind of agent its sessions are of. */
  readonly source: string
  readonly sessions: Map<string, Kept>
}

/** All contributions that are known, by scope. */
export class Contributions {
  readonly #scopes = new Map<string, Scope>()
  #version = 0

  /** Another one means that something else would be counted. */
  get version(): number {
    return this.#version
  }

  know(scope: string, source: string, rows: readonly ContributionRow[]): void {
    const known = this.#scopes.get(scope) ?? { source, sessions: new Map<string, Kept>() }
    this.#scopes.set(scope, known)
    for (const row of rows) known.sessions.set(row.id, ofAgent(keptOf(row), source))
    this.#version += 1
  }

  /** Nothing where it was not told yet what was kept of it. */
  of(scope: string): ReadonlyMap<string, Kept> | undefined {
    return this.#scopes.get(scope)?.sessions
  }

  set(scope: string, id: string, kept: Kept): void {
    const known = this.#scopes.get(scope)
    known?.sessions.set(id, ofAgent(kept, known.source))
    this.#version += 1
  }

  drop(scope: string): void {
    this.#scopes.delete(scope)
    this.#version += 1
  }

  /** The numbers stay, under a name that says nothing. */
  forget({ source, id }: SessionRef): void {
    for (const scope of this.#scopes.values()) {
      const kept = scope.source === source ? scope.sessions.get(id) : undefined
      if (kept === undefined) continue
      scope.sessions.delete(id)
      this.#version += 1
      if (kept.contribution === undefined) continue
      const nameless = `${NAMELESS}${randomUUID()}`
      const { skipped: _places, ...numbers } = kept.contribution
      scope.sessions.set(nameless, {
        fingerprint: '',
        contribution: { ...numbers, session_id: nameless, title: '' },
      })
    }
  }

  /** Those that count. */
  counted(scopes: readonly string[]): Contribution[] {
    const counted: Contribution[] = []
    for (const scope of scopes)
      for (const { contribution } of this.#scopes.get(scope)?.sessions.values() ?? [])
        if (contribution) counted.push(contribution)
    return counted
  }
}

const ofAgent = ({ contribution, ...kept }: Kept, agent: string): Kept => ({
  ...kept,
  contribution: contribution && { ...contribution, agent },
})
