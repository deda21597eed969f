import { openSessions } from './open.ts'

/**
 * Reads the sessions of a folder and kills itself after this many milliseconds. The process holds the timer
 * itself, because a parent on a busy machine might be too late.
 */
const [folder = '', file = '', killAfterMs = '0'] = process.argv.slice(2)
const sessions = await openSessions({ file, env: { HOME: folder }, zone: 'UTC' })
if (!sessions.ok) throw new Error(sessions.message)
setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(killAfterMs)).unref()
const read = await sessions.value.refresh()
if (!read.ok) throw new Error(read.message)
await sessions.value.close()
