import type { PastSession } from '@panoptes/schema'
import { nothingSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { markdownOf } from './markdown.ts'
import { message, placed } from './messages.test-kit.ts'
import { arrange } from './thread.ts'

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
  spent: { ...nothingSpent(), cost_unknown: 1 },
  activity: [],
  tags: [],
  note: null,
}
describe('a session as Markdown', () => {
  it('keeps what was written inside its block, and says what failed', () => {
    const arranged = arrange(
      placed([
        message('assistant', [{ type: 'tool_call', id: 'c', tool: 'Bash', input: { command: 'ls' } }], {
          ts: null,
        }),
        message('tool', [{ type: 'tool_result', id: 'c', ok: false, text: '```\n# out', duration_ms: null }]),
      ]),
      [],
    )
    expect(markdownOf(session, arranged)).toBe(
      [
        '# Two lines',
        'notes · claude-code · –',
        '## Assistant',
        '**Bash** ✕ failed',
        '```json\n{\n  "command": "ls"\n}\n```',
        '````\n```\n# out\n````',
      ].join('\n\n'),
    )
  })
})
