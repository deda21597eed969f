import { sumScopes } from './scopes.ts'

export interface TouchedSkill {
  readonly key: readonly [source: number, project: number, skill: number]
  /** The newest time among the added uses. */
  newest: number
  /** A removed use may have been the last one, in which case the one before it has to be looked up. */
  isGone: boolean
}

/** Tracks when each skill was last used. */
export class SkillDates {
  readonly #touched = new Map<string, TouchedSkill>()

  saw(source: number, project: number, skill: number, at: number, sign: 1 | -1): void {
    for (const scope of sumScopes(source, project)) {
      const key = [...scope, skill] as const
      const name = key.join(' ')
      const touched = this.#touched.get(name) ?? { key, newest: -1, isGone: false }
      this.#touched.set(name, touched)
      if (sign === 1) touched.newest = Math.max(touched.newest, at)
      else touched.isGone = true
    }
  }

  /** Call this once, when the rows are written. */
  changes(): readonly TouchedSkill[] {
    const touched = [...this.#touched.values()]
    this.#touched.clear()
    return touched
  }
}
