import { describe, expect, it } from 'vitest'
import { askedAbout } from './asked-about.ts'

describe('what a question is about', () => {
  it('is told in words: whose tool it is, what that does, and what it is given', () => {
    expect(
      askedAbout({
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
    expect(askedAbout({ tool: 'remember', description: 'Keeps it.', input: { text: 'tea' } })).toEqual([
      'Keeps it.',
      'text: tea',
    ])
  })
  it('has nothing of what is only between programs', () => {
    expect(
      askedAbout({
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
    expect(askedAbout({ name: 'other', names: {} })).toEqual([])
  })
  it('is cut where it is very long', () => {
    expect(askedAbout({ input: 'x'.repeat(9_000) })[0]).toHaveLength(2_000)
  })
})
