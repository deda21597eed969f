/** What the command leaves behind for a script; `docs/commands.md` lists them for people. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  inUse: 4,
  config: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
