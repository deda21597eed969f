import { expect, it } from 'vitest'
import { agent } from '../live/agents.test-kit.ts'
import { liveStates } from './live-states.ts'

it('shows a running session with the state of the agent that most needs a person', () => {
  const states = liveStates([
    agent({ session_id: 'a', id: 'main', state: 'working' }),
    agent({ session_id: 'a', id: 'x', state: 'waiting' }),
    agent({ session_id: 'a', id: 'y', state: 'stuck' }),
    agent({ session_id: 'b', id: 'main', state: 'done' }),
  ])
  expect([...states.values()]).toEqual(['waiting'])
})
