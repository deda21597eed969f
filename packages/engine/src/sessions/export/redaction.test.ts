import { redactedMessage } from '@panoptes/engine/sources'
import type { ContentBlock, PastMessage } from '@panoptes/schema'
import { expect, it } from 'vitest'

const message = (content: ContentBlock[]): PastMessage => ({
  id: 'm1',
  session_id: 's1',
  agent_id: 'main',
  role: 'user',
  ts: null,
  model: null,
  content,
  usage: null,
  state: 'active',
  hidden: false,
  n: 0,
  cost_micro_usd: null,
  cut: false,
})
const linked = (url: string): ContentBlock => ({ type: 'image', media_type: null, data: null, url })
const linkOf = (url: string): string => {
  const [block] = redactedMessage(message([linked(url)])).content
  return String(block?.url)
}

it('removes secrets from links to images', () => {
  const key = `sk-ant-api03-${'Ab3d'.repeat(24)}`
  for (const url of [
    `https://files.example/a.png?key=${key}`,
    `https://me:${key}@files.example/a.png`,
    `https://files.example/a.png?access_token=${key}&size=2`,
  ]) {
    expect(linkOf(url)).not.toContain(key)
    expect(linkOf(url)).toContain('[redacted:')
  }
})

it('keeps images and links without secrets', () => {
  expect(linkOf('https://files.example/a.png?size=2')).toBe('https://files.example/a.png?size=2')
  const picture: ContentBlock = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  expect(redactedMessage(message([picture])).content).toEqual([picture])
})
