import { createStore } from '../store.ts'
import { words } from '../words.ts'

const title = createStore('')

/** The number of agents that need someone. */
export const tabNeeds = createStore(0)

const write = (): void => {
  if (title.get() !== '') document.title = words.tabNeeds(tabNeeds.get(), title.get())
}

tabNeeds.subscribe(write)
title.subscribe(write)

export const nameTab = (page: string): void => {
  title.set(words.tabTitle(page))
  write()
}
