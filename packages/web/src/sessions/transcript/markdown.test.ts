import type { PastSession } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { markdownOf } from './markdown.ts'
import { arrange } from './thread.ts'

const spent = {
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  reasoning: 0,
  cost_micro_usd: 0,
  usage_unknown: 0,
  cost_unknown: 1,
}
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
  spent,
  activity: [],
  tags: [],
  note: null,
}
const message = {
  id: 'm',
  session_id: 's',
  role: 'assistant' as const,
  ts: null,
  model: null,
  agent_id: 'main',
  usage: null,
  state: 'active' as const,
  hidden: false,
}

describe('a session as Markdown', () => {
  it('keeps what was written inside its block, and says what failed', () => {
    const { main } = arrange(
      [
        {
          n: 0,
          message: {
            ...message,
            content: [{ type: 'tool_call', id: 'c', tool: 'Bash', input: { command: 'ls' } }],
          },
        },
        {
          n: 1,
          message: {
            ...message,
            role: 'tool',
            content: [{ type: 'tool_result', id: 'c', ok: false, text: '```\n# out', duration_ms: null }],
          },
        },
      ],
      [],
    )
    expect(markdownOf(session, main)).toBe(
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
