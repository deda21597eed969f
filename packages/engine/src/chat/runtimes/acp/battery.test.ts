import { describeRuntime } from '../battery.ts'
import { createAcpAdapter } from './adapter.ts'
import { startScriptedAgent } from './scripted-agent.test-kit.ts'

describeRuntime('acp', {
  start: () => startScriptedAgent(),
  absent: async () =>
    createAcpAdapter({
      id: 'acp:absent',
      title: 'Absent',
      command: ['no-such-agent-of-ours'],
      env: { PATH: process.env.PATH },
    }),
})
