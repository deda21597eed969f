import { createServer } from 'node:net'
import { portHolder } from '@panoptes/engine/doctor'
import { EXIT } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'

/** A taken port, named together with who holds it and with the command that takes another; nothing when the port is free. */
export async function portTaken(
  host: string,
  port: number,
  command = 'panoptes up',
): Promise<CommandFailure | undefined> {
  if (port === 0 || !(await isTaken(host, port))) return undefined
  const holder = await portHolder(port)
  const who = holder
    ? `${holder.name} (process ${holder.pid}) holds it`
    : 'it is held by a process that this user may not see'
  return new CommandFailure(`Port ${port} is taken: ${who}`, {
    code: 'port_taken',
    next: `Stop that, or take another port: ${command} --port 0`,
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
