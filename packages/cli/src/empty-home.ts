/** An empty HOME counts as none: the system then says where a person's folder is, not the folder one happens to be in. */
export function dropEmptyHome(env: NodeJS.ProcessEnv = process.env): void {
  if (env.HOME === '') delete env.HOME
}
