import { findSkills, listSkillRoots } from '@panoptes/engine/skill-folders'
import type { Result } from '@panoptes/schema'

const FRESH_MS = 60_000

interface Where {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly projects: () => Promise<Result<readonly string[]>>
  readonly folders: readonly string[]
}

/**
 * Returns the names of the skills on this computer, which commands may refer to. The result is
 * cached.
 */
export function skillNames({ env, projects, folders }: Where): () => Promise<readonly string[]> {
  let names: readonly string[] = []
  let looked = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - looked < FRESH_MS) return names
    const found = await projects()
    const skills = await findSkills(listSkillRoots(env, found.ok ? found.value : [], folders))
    names = skills.flatMap((skill) => skill.names)
    looked = performance.now()
    return names
  }
}
