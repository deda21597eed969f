import { formatSafeJson, toVisible } from '@panoptes/engine/redact'
import type { PastMessage } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { markdown } from './markdown.ts'

const piece = fc.oneof(
  fc.constantFrom(
    '```',
    '````',
    '~~~',
    '> ',
    '# h',
    '<b>',
    '![',
    '](x)',
    '\n',
    '\r\n',
    '\r',
    '\u2028',
    ' ',
    '\u202e',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))

const message = (content: PastMessage['content']): PastMessage => ({
  id: 'm',
  session_id: 's',
  role: 'user',
  ts: 0,
  model: null,
  agent_id: 'main',
  content,
  usage: null,
  state: 'active',
  hidden: false,
  n: 0,
  cost_micro_usd: null,
  cut: false,
})

it('keeps every text inside its quotation or fence', () => {
  fc.assert(
    fc.property(text, text, text, (words, output, tool) => {
      const rendered = markdown.message(
        message([
          { type: 'text', text: words },
          { type: 'tool_call', id: 'c', tool, input: { words } },
          { type: 'tool_result', id: 'c', ok: true, text: output, duration_ms: null },
        ]),
        0,
        new Map([['c', { tool }]]),
      )
      let fence = ''
      for (const line of rendered.split('\n')) {
        if (fence !== '') {
          if (line === fence) fence = ''
          continue
        }
        fence = /^`{3,}(?=text$)/.exec(line)?.[0] ?? ''
        if (fence === '') expect(line).toMatch(/^$|^> |^## user|^\*\*.*\*\* (called with|gave)$/)
      }
      expect(fence).toBe('')
    }),
  )
})

it('names invisible characters and escapes them in JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      expect(toVisible(any)).not.toMatch(/(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
      expect(JSON.parse(formatSafeJson({ any }))).toEqual({ any })
      expect(formatSafeJson(any)).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u)
    }),
  )
})
