"""Directed graphs: the model examples/models/digraph, written in Python."""

import signet
from signet import ops


@signet.extension_type("graph.Digraph", batching="never")
class Digraph:
    """A directed graph: nodes and edges with their fields. The edges are sorted by target node."""
    nodes: signet.Any
    edges: signet.Any
    source: "int64[?]"
    incoming: "int64[?]"

    @signet.invariant
    def a_source_each(self):
        """there is one source per edge"""
        return ops.struct_nrows(self.edges) == ops.size(self.source)

    @signet.invariant
    def sources_are_nodes(self):
        """each source is the number of a node"""
        return ops.reduce_all((self.source >= 0) & (self.source < ops.struct_nrows(self.nodes)))

    @signet.invariant
    def splits_of_edges(self):
        """incoming are row splits of the edges, one row per node"""
        count = ops.size(self.incoming) == ops.struct_nrows(self.nodes) + 1
        starts = ops.reduce_all(self.incoming[:1] == 0)
        rises = ops.reduce_all(self.incoming[:-1] <= self.incoming[1:])
        return count & starts & rises & ops.reduce_all(self.incoming[-1:] == ops.struct_nrows(self.edges))


@signet.dispatch_for(ops.shape, Digraph)
def graph_shape(g):
    return ops.stack(ops.struct_nrows(g.nodes), ops.struct_nrows(g.edges))


@signet.function
def step(g: Digraph, /):
    """Sets each node to the sum of the states of its sources, weighted by the edges between them."""
    sent = ops.gather(g.nodes.state, g.source)
    received = ops.segment_sum(sent * g.edges.weight, g.incoming)
    return Digraph(ops.struct_update(g.nodes, state=received), g.edges, g.source, g.incoming)


GRAPH = signet.type_of(Digraph, nodes="[{name: string[], state: float32[]}]", edges="[{weight: float32[]}]")


@signet.function
def two_steps(g: GRAPH, /) -> "[{name: string[], state: float32[]}]":
    """Returns the nodes of a graph after two steps."""
    return step(step(g)).nodes


@signet.function
def in_degrees(g: Digraph, /):
    """Returns the number of incoming edges of each node."""
    return ops.row_lengths(g.incoming)


@signet.function
def sources(g: Digraph, /):
    """Returns the source node of each edge, as structures."""
    return ops.gather(g.nodes, g.source)


@signet.function
def sizes(g, /):
    """Returns the numbers of nodes and edges."""
    return ops.shape(g)


model = signet.Model("Directed graphs", step, two_steps, in_degrees, sources, sizes)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: digraph.py FOLDER; saves the model as FOLDER/digraph/1")
    model.save(f"{sys.argv[1]}/digraph/1")
