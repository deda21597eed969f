import { scopesOf } from './scopes.ts'

export interface TouchedSkill {
  readonly key: readonly [source: number, project: number, skill: number]
  /** Of the uses that came. */
  newest: number
  /** What is taken away may have been the last use: then the one before it is to be looked up. */
  isGone: boolean
}

/** When each skill was last used. */
export class SkillDates {
  readonly #touched = new Map<string, TouchedSkill>()

  saw(source: number, project: number, skill: number, at: number, sign: 1 | -1): void {
    for (const scope of scopesOf(source, project)) {
      const key = [...scope, skill] as const
      const name = key.join(' ')
      const touched = this.#touched.get(name) ?? { key, newest: -1, isGone: false }
      this.#touched.set(name, touched)
      if (sign === 1) touched.newest = Math.max(touched.newest, at)
      else touched.isGone = true
    }
  }

  /** Once, when the rows are written. */
  changes(): readonly TouchedSkill[] {
    const touched = [...this.#touched.values()]
    this.#touched.clear()
    return touched
  }
}
