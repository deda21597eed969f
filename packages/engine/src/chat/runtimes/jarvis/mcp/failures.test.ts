import { describe, expect, it } from 'vitest'
import { describeFailure } from './failures.ts'
import { mcpServer } from './server.test-kit.ts'

describe('description of a broken MCP server', () => {
  it('contains no secrets from the config', () => {
    const config = mcpServer({
      url: 'http://127.0.0.1:2',
      headers: { 'X-Word': 'heron-otter-lake' },
      env: { A: 'ab' },
    })
    expect(describeFailure(new Error('heron-otter-lake is no word of ab'), config)).toBe(
      'The server at http://127.0.0.1:2 does not speak MCP: [redacted] is no word of ab',
    )
  })
  it('is bounded, whatever was thrown', () => {
    expect(describeFailure(new Error('x'.repeat(10_000)), mcpServer({ command: 'a' })).length).toBeLessThan(
      600,
    )
    expect(describeFailure('a word', mcpServer({ command: 'a' }))).toBe('It failed.')
  })
})
