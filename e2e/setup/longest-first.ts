import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Each of these takes a minute or more. Without timings of an earlier run, files start in order of their size, and
 * these are small.
 */
const LONGEST = ['e2e/team-system.test.ts', 'packages/engine/src/store/postgres.test.ts']

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((path) => moduleId.endsWith(path))
  return at < 0 ? LONGEST.length : at
}

/** Starts the longest files first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
