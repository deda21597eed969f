import type { PastSession } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { toMarkdown } from './markdown.ts'
import { message, placed } from './messages.test-kit.ts'
import { buildThreads } from './thread.ts'

const session: PastSession = {
  source: 'claude-code',
  id: 's',
  parent_id: null,
  lineage: 'root',
  title: 'Two\nlines',
  project: 'notes',
  cwd: null,
  git_branch: null,
  model: null,
  started_at: null,
  last_at: null,
  ended_at: null,
  fingerprint: '',
  place: '',
  messages: 1,
  tool_calls: 1,
  errors: 1,
  spent: { ...createZeroSpent(), cost_unknown: 1 },
  activity: [],
  tags: [],
  note: null,
}
describe('a session as Markdown', () => {
  it('contains no active content and no invisible characters', () => {
    const hostile = '![x](https://evil.test/?q=1) <img src=x onerror=alert(1)> [y](javascript:alert\u00281)'
    const arranged = buildThreads(
      placed([message('assistant', [{ type: 'text', text: hostile }], { ts: null })]),
      [],
    )
    const told = toMarkdown({ ...session, title: '[t](https://evil.test)\u202e' }, arranged)
    expect(told).toContain(`\`\`\`text\n${hostile}\n\`\`\``)
    expect(told).toContain('# \\[t\\]\\(https\\://evil\\.test\\)‹U\\+202E›')
  })

  it('fences text so that it cannot end its block and marks failed calls', () => {
    const arranged = buildThreads(
      placed([
        message('assistant', [{ type: 'tool_call', id: 'c', tool: 'Bash', input: { command: 'ls' } }], {
          ts: null,
        }),
        message('tool', [{ type: 'tool_result', id: 'c', ok: false, text: '```\n# out', duration_ms: null }]),
      ]),
      [],
    )
    expect(toMarkdown(session, arranged)).toBe(
      [
        '# Two lines',
        'notes · claude-code · –',
        '## Assistant',
        '**Bash** ✕ failed',
        '```json\n{\n  "command": "ls"\n}\n```',
        '````text\n```\n# out\n````',
      ].join('\n\n'),
    )
  })
})
