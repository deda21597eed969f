let usual: number | undefined

/** Whatever this process writes from here on is for this user alone. */
export function writeForOneself(): void {
  usual = process.umask(0o077)
}

/** For what is no secret and others may come to use: the page of a clone, a unit of the system, a browser that is started. */
export async function asUsual<T>(work: () => Promise<T>): Promise<T> {
  if (usual === undefined) return work()
  const own = process.umask(usual)
  try {
    return await work()
  } finally {
    process.umask(own)
  }
}
