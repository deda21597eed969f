const COMMANDS =
  /(?<!npx )(?<![\w./-])panoptes (?=(?:up|open|confirm|browsers|status|stop|doctor|demo|config|backup|rebuild|export|hooks|agents|watch|sessions|achievements|templates|ledger|skills|record-skill|moa|chat|mcp|forget|forward|team|migrate|rescue|restore|service|version|help)\b|--(?=\w)|\[)/g

/** In a clone and under npx, the command is not on the PATH, but suggested commands must work there. */
export const isTypedWithNpx = (env: NodeJS.ProcessEnv, module: string = import.meta.url): boolean =>
  module.endsWith('.ts') || env.npm_command === 'exec'

/** Returns the command in a form that another program finds from any folder. */
export const absoluteCommand = (env: NodeJS.ProcessEnv, program = process.argv[1] ?? 'panoptes'): string => {
  if (!isTypedWithNpx(env)) return 'panoptes'
  return /[^\w./-]/.test(program) ? `'${program.replaceAll("'", `'\\''`)}'` : program
}

export const commandName = (env: NodeJS.ProcessEnv): string =>
  isTypedWithNpx(env) ? 'npx panoptes' : 'panoptes'

/** Rewrites the commands in a text as they are typed here. */
export const createCommandRewriter = (env: NodeJS.ProcessEnv): ((text: string) => string) =>
  isTypedWithNpx(env) ? addNpx : (text) => text

export const addNpx = (text: string): string => text.replace(COMMANDS, 'npx panoptes ')
