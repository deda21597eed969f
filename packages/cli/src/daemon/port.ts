import { createServer } from 'node:net'
import { portHolder } from '@panoptes/engine/doctor'
import { CommandFailure, EXIT } from '../failure.ts'

/** Returns a failure if the port is taken, with its owner and a command that uses another port. */
export async function portTaken(
  host: string,
  port: number,
  command = 'panoptes up',
): Promise<CommandFailure | undefined> {
  if (port === 0 || !(await isTaken(host, port))) return undefined
  const holder = await portHolder(port)
  const who = holder
    ? `${holder.name} (process ${holder.pid}) is using it`
    : "another user's process is using it"
  return new CommandFailure(`Port ${port} is in use: ${who}`, {
    code: 'port_taken',
    next: `Stop that process, or use another port: ${command} --port 0`,
    exit: EXIT.inUse,
  })
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(false)))
  })
}
