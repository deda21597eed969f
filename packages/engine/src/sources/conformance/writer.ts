import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Starts another process that reports when it is ready and, after its input ends, how much it wrote. */
export async function startWriter(
  command: string,
  args: readonly string[],
): Promise<{ readonly stop: () => Promise<string>; readonly kill: () => void }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<string> => String((await lines.next()).value ?? '')
  await next()
  return {
    stop: async () => {
      child.stdin.end()
      const line = await next()
      if (child.exitCode === null) await new Promise((done) => child.once('exit', done))
      return line
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
