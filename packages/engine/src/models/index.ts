export { fetchCatalogue, readCatalogue } from './catalogue.ts'
export { createPrices, type OwnPrice, type Prices, pricedCalls } from './prices.ts'
export {
  type Endpoint,
  LOCAL_PROVIDERS,
  openProviders,
  type Providers,
  resolveEndpoints,
} from './providers/open.ts'
export type {
  ChatAsk,
  ChatChunk,
  ChatMessage,
  ChatOptions,
  ChatPart,
  ChatReply,
  ModelError,
  Provider,
} from './providers/port.ts'
export { says } from './providers/reply-assembler.ts'
export { asOpenaiUsage, passedUsage } from './providers/usage.ts'
