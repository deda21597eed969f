import { globSync, readFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import { ALLOWED_SKIPS } from './allowed-skips.ts'

interface SkippedTest {
  readonly name: string
  readonly reason: string
}

/** Files that could not be loaded, for example because there is no browser to load them in. */
export interface UnloadedFiles {
  readonly project: string
  readonly files: string
  readonly reason: string
}

/** Lists every skipped test with its reason at the very end; with `PANOPTES_STRICT_SKIPS=1` one that is not allowed fails the run. */
export default class SkippedTests implements Reporter {
  readonly #unloaded: UnloadedFiles | undefined
  #vitest: Vitest | undefined

  constructor(unloaded?: UnloadedFiles) {
    this.#unloaded = unloaded
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = [...modules.flatMap((module) => this.#skippedOf(module)), ...this.#unloadedTests()]
    if (skipped.length === 0) return
    console.log(formatSkipped(skipped))
    if (process.env.PANOPTES_STRICT_SKIPS !== '1') return
    const unexpected = skipped.filter(({ name }) => ALLOWED_SKIPS[name] === undefined)
    if (unexpected.length === 0) return
    process.exitCode = 1
    console.log(
      `The run fails, since ${unexpected.length} skipped tests are not in e2e/setup/allowed-skips.ts:\n` +
        unexpected.map(({ name }) => `  ${name}\n`).join(''),
    )
  }

  #skippedOf(module: TestModule): SkippedTest[] {
    const pattern = module.project.config.testNamePattern ?? this.#vitest?.config.testNamePattern
    return [...module.children.allTests('skipped')]
      .filter((test) => pattern === undefined || pattern.test(test.fullName.replaceAll(' > ', ' ')))
      .map((test) => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        reason: skipReason(test),
      }))
  }

  #unloadedTests(): SkippedTest[] {
    const { project, files, reason } = this.#unloaded ?? { project: '', files: '', reason: '' }
    if (!this.#vitest?.projects.some(({ name }) => name === project)) return []
    return globSync(files, { exclude: ['**/node_modules/**'] }).flatMap((file) =>
      readTitles(file).map((title) => ({ name: `${file} > ${title}`, reason })),
    )
  }
}

function skipReason(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note) return result.note
  for (let task: TestCase | TestSuite | TestModule = test; ; task = task.parent) {
    const { missingPart } = task.meta()
    if (missingPart) return missingPart
    if (task.type === 'module') return 'No reason is given.'
  }
}

/** Reads titles from the source where tests cannot be collected. */
function readTitles(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(/^\s*(?:it|test)(?:\.\w+\(.*\))?\(\s*(['"`])(.+?)\1/gm)
  return [...calls].map(([, , title]) => title ?? '')
}

function formatSkipped(skipped: readonly SkippedTest[]): string {
  const reasons = Map.groupBy(skipped, ({ reason }) => reason)
  const lines = [...reasons].flatMap(([reason, tests]) => [
    ...tests.map(({ name }) => `  ${name}`),
    `${tests.length} skipped: ${reason}`,
  ])
  return `\n${lines.join('\n')}\n`
}
