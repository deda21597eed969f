import type { Reporter, TestCase } from 'vitest/node'

/** Names what passed at a second try only: it is no pass like any other. */
export default class Retried implements Reporter {
  readonly #names: string[] = []

  onTestCaseResult(test: TestCase): void {
    const tries = test.diagnostic()?.retryCount ?? 0
    if (test.ok() && tries > 0) this.#names.push(`${test.module.moduleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return
    console.log(`\n${this.#names.length} passed at the second try only:\n  ${this.#names.join('\n  ')}`)
  }
}
