import { config } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { isCountedHere } from './usage-accounting.ts'

it.each<[string, boolean, object]>([
  ['jarvis', true, {}],
  ['hermes', false, {}],
  ['hermes', false, { hermes: { command: ['hermes', 'acp'] } }],
  ['hermes', false, { hermes: { url: 'http://127.0.0.1:8642' } }],
  ['hermes', false, { hermes: { url: 'http://[::1]:8642' } }],
  ['hermes', true, { hermes: { url: 'https://hermes.example' } }],
  ['acp:claude', false, { acp: { claude: { command: ['npx', '@agentclientprotocol/claude-agent-acp'] } } }],
  ['acp:mine', false, { acp: { mine: { command: ['codex-acp'] } } }],
  ['acp:opencode', false, {}],
  ['acp:gemini', true, {}],
  ['acp:mine', true, { acp: { mine: { command: ['my-agent'] } } }],
])('counts the usage of %s with the conversation: %s, with the config %j', (id, isHere, runtimes) => {
  expect(isCountedHere(id, config.parse({ runtimes }).runtimes)).toBe(isHere)
})
