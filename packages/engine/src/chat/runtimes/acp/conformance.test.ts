import { describeRuntime } from '../conformance.ts'
import type { RuntimeKit } from '../conformance-kit.ts'
import { createAcpAdapter } from './adapter.ts'
import { SECOND, startScriptedAgent } from './scripted-agent.test-kit.ts'

const absent: RuntimeKit['absent'] = async () =>
  createAcpAdapter({
    id: 'acp:absent',
    title: 'Absent',
    command: ['no-such-agent-of-ours'],
    env: { PATH: process.env.PATH },
  })

describeRuntime('acp', { start: () => startScriptedAgent(), absent })

describeRuntime('acp in its second version', {
  start: async () => {
    const agent = await startScriptedAgent()
    agent.capable(SECOND)
    return agent
  },
  absent,
})
