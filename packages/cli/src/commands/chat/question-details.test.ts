import { describe, expect, it } from 'vitest'
import { questionLines } from './approval.ts'

describe('the details of a permission request', () => {
  it('name the server, the tool, its description and its arguments', () => {
    expect(
      questionLines({
        tool: 'files__write',
        server: 'files',
        description: 'Writes a file.',
        input: { path: '/tmp/a', mode: 6, parts: ['x'] },
      }),
    ).toEqual([
      'Server: files',
      'Tool: files__write',
      'Writes a file.',
      'path: /tmp/a',
      'mode: 6',
      'parts: ["x"]',
    ])
    expect(questionLines({ tool: 'remember', description: 'Keeps it.', input: { text: 'tea' } })).toEqual([
      'Keeps it.',
      'text: tea',
    ])
  })
  it('contain the text and files of a request but no internal fields', () => {
    expect(
      questionLines({
        name: 'other',
        names: { once: 'Allow', deny: 'No' },
        input: 'ls',
        content: [
          { type: 'content', content: { type: 'text', text: 'Lists.\n\nAll of it.' } },
          { type: 'diff', path: 'a.ts', oldText: 'x', newText: 'y' },
          null,
        ],
      }),
    ).toEqual(['ls', 'Lists.', 'All of it.', 'a.ts', 'y'])
    expect(questionLines({ name: 'other', names: {} })).toEqual([])
  })
  it('are cut if they are very long', () => {
    expect(questionLines({ input: 'x'.repeat(9_000) })[0]).toHaveLength(2_000)
  })
})
