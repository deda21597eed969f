/** Parts that come while something is waited for. */
export function createQueue<T>() {
  const waiting: T[] = []
  let wake = () => {}
  let isOver = false
  return {
    put: (part: T) => {
      waiting.push(part)
      wake()
    },
    end: () => {
      isOver = true
      wake()
    },
    all: async function* (): AsyncGenerator<T, undefined> {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (isOver) return
        else
          await new Promise<void>((woken) => {
            wake = woken
          })
      }
    },
  }
}
