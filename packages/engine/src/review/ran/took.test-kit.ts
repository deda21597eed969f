/** How long this thread worked, in milliseconds: what else the computer does does not count. */
export async function took(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
