import { expect, it } from 'vitest'
import { tellStory } from './agents.test-kit.ts'

it('keeps known fields of an agent when a later event lacks them', () => {
  const { tell, agent } = tellStory()
  tell('session_start', { agent_id: 'main', model: 'opus' })
  tell('session_start', { agent_id: 'main' })
  expect(agent('main')?.model).toBe('opus')
  tell('agent_spawn', {
    id: 'a',
    subagent_type: 'X',
    model: 'haiku',
    prompt_preview: 'Tidy',
    background: true,
  })
  tell('agent_link', { id: 'a', tool_use_id: 'T', parent_id: 'main' })
  tell('agent_spawn', { id: 'a' })
  tell('tool_use', { id: 't', agent_id: 'a', tool: 'Bash', subagent_type: 'Y' })
  expect(agent('a')).toMatchObject({
    subagent_type: 'X',
    model: 'haiku',
    prompt_preview: 'Tidy',
    background: true,
    tool_use_id: 'T',
    parent_id: 'main',
  })
})

it('takes over new fields of an agent from a later event', () => {
  const { tell, agent } = tellStory()
  tell('session_start', { agent_id: 'main', model: 'opus' })
  tell('session_start', { agent_id: 'main', model: 'sonnet' })
  tell('prompt', { agent_id: 'main', prompt_preview: 'one' })
  tell('prompt', { agent_id: 'main', prompt_preview: 'two' })
  expect(agent('main')).toMatchObject({ model: 'sonnet', prompt_preview: 'two' })
})

it('does not treat a judgement of the daemon as a sign of life', () => {
  const { tell, agent } = tellStory()
  tell('prompt', { agent_id: 'main' })
  tell('agent_stuck', { agent_id: 'main', ts: 9_000 })
  expect(agent('main')).toMatchObject({ state: 'stuck', last_at: 1_000 })
  tell('tool_use', { id: 't', agent_id: 'main', tool: 'Bash', ts: 10_000 })
  expect(agent('main')).toMatchObject({ state: 'working', last_at: 10_000 })
})
