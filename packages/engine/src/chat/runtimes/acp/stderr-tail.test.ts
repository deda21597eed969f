import { describe, expect, it } from 'vitest'
import { lastErrorLine } from './errors.ts'

describe('standard error of a process that ended', () => {
  it('is shown without stack traces', () => {
    const written = [
      'node:internal/modules/cjs/loader:1386',
      '  throw err;',
      '  ^',
      '',
      "Error: Cannot find module '/opt/agent/index.js'",
      '    at Module._resolveFilename (node:internal/modules/cjs/loader:1383:15)',
      '    at node:internal/main/run_main_module:36:49 {',
      '}',
      '',
      'Node.js v24.0.0',
    ]
    expect(lastErrorLine(written.join('\n'))).toBe("Error: Cannot find module '/opt/agent/index.js'")
  })
  it('is cut to its last lines and begins with a whole word', () => {
    expect(lastErrorLine('a\nb\nc\nd\n')).toBe('b\nc\nd')
    expect(lastErrorLine(`${'noise '.repeat(10_000)}\nthe disk is full`)).toBe('the disk is full')
    const long = lastErrorLine('several words '.repeat(100))
    expect(long).toMatch(/^… (?:several|words) /)
    expect(long.length).toBeLessThanOrEqual(302)
    expect(lastErrorLine('')).toBe('')
  })
})
