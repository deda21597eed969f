import { describe, expect, it } from 'vitest'
import { wordsOf } from './failures.ts'
import { mcpServer } from './server.test-kit.ts'

describe('what is said of a broken server', () => {
  it('has nothing in it that the config says to the server alone', () => {
    const config = mcpServer({
      url: 'http://127.0.0.1:2',
      headers: { 'X-Word': 'heron-otter-lake' },
      env: { A: 'ab' },
    })
    expect(wordsOf(new Error('heron-otter-lake is no word of ab'), config)).toBe(
      'Nobody speaks MCP at http://127.0.0.1:2: [redacted] is no word of ab',
    )
  })
  it('is within bounds whatever was thrown', () => {
    expect(wordsOf(new Error('x'.repeat(10_000)), mcpServer({ command: 'a' })).length).toBeLessThan(600)
    expect(wordsOf('a word', mcpServer({ command: 'a' }))).toBe('It failed.')
  })
})
