import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Each takes a minute or more. Where no run before says so, files are begun by their size, and these are small. */
const LONGEST = ['e2e/team-system.test.ts', 'packages/engine/src/ledger/postgres.test.ts']

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((path) => moduleId.endsWith(path))
  return at < 0 ? LONGEST.length : at
}

/** The longest are begun first, so that nobody waits for one of them alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
